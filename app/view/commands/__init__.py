"""What a person can do: the table of actions as Qt's, the command palette, the help."""
