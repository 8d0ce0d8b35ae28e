"""Live plots of a running simulation."""
