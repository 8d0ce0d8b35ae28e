"""The solver microscope: one contact problem, several methods, step by step."""
