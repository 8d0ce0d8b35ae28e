"""Studies of the contacts of one instant: contact problems, methods that solve them, and what they say of motion."""
