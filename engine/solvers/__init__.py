"""Methods for constraint forces: matrices and vectors in, a Solution out. They know no world."""
