"""Trackers: each module is a plug-in, its file name its id."""
