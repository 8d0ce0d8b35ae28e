"""Lasting contacts: their geometry as matrices, and the motion that their forces allow."""
