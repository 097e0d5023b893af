"""The table of kinds, one field of vendors a file: facts from their public documents."""
