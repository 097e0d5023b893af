"""The tests: unit, contract, end to end."""
