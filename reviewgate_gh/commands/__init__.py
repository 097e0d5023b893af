"""One verb a file: options in, one flow called, one exit code out."""
