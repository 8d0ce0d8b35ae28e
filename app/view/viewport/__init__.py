"""The 3D view: drawing, camera, gestures, pointing."""
