"""What is drawn over the bodies, with its legends and cards."""
