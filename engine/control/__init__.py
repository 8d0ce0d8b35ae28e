"""What comes from outside while a world runs: orders to motors and bodies, and the Python files that give them."""
