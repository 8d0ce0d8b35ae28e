"""The narrow phase: gaps, closest points and contact patches of two shapes."""
