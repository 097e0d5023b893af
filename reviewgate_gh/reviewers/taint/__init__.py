"""In-function taint for Python: from what users of a program send to where it does harm."""
