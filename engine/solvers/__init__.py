"""Methods for constraint forces: matrices and vectors in, a Solution out. They depend on nothing of the simulation."""
