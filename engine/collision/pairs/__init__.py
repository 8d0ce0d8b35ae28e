"""The life of a pair of bodies that are near: when it is checked, and when it may touch next."""
