"""Forms: rows of a name, an editor and what is wrong with what was typed."""
