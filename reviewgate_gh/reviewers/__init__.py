"""One reviewer a file; the file's name is the reviewer's type in the config."""
