"""Trees of links in joint coordinates: kinematics, forward dynamics, answers to impulses, integration."""
