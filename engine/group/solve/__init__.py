"""The impulses of one step of a contact group."""
