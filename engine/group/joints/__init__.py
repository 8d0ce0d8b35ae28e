"""Joints in the step of a contact group."""
