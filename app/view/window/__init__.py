"""The main window: its parts, and what carries its actions out."""
