"""What a change of Python code takes away from code that it leaves alone."""
