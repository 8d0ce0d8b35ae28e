"""The penalty method, for comparison: bodies that overlap are pushed apart by springs."""
