"""Models of other formats as scenes: URDF and MJCF, with a report of what was not understood."""
