"""The gallery: cards of the scenes that come with Carom, and the page that Carom opens on."""
