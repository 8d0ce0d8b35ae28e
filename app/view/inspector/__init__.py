"""The inspector: whatever is selected, as rows that can be edited."""
