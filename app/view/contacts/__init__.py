"""The contact card: every contact of a body with its forces, as the step has them and as solvers find them."""
