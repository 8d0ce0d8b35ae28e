"""First-order worlds: force gives velocity, and nothing has momentum."""
