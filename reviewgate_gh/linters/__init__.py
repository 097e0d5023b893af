"""One tool a file: which files it takes, how it is called, how its answer is read."""
