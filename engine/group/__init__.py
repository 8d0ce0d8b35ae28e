"""Contact groups: bodies tied by lasting contacts and joints, moved together by constraint forces."""
