"""The scripted server of the GitHub client's own tests."""
