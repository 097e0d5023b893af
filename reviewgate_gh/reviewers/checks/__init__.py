"""One built-in check a file: pure, over the change and the head contents that the check asks for;
the file's name is its name."""
