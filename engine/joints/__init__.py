"""Joint rows of linkages: what they ask of velocities, their matrix, and how a linkage answers an impulse."""
