"""Videos: the dialog, the process that it starts, and what encodes the frames."""
