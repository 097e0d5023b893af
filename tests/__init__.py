"""The tests: unit, contract, end to end."""

import sys

# Before conftest imports anything: else each process of each run compiles all tests again, and
# hypothesis, whose assertions pytest rewrites.
sys.dont_write_bytecode = False
