"""The order of work; each flow reads like a list."""
