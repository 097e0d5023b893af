"""One comparison of base and head a file: what a change takes away or leaves behind. Pure, over
what it is given; the file's name is its name."""
