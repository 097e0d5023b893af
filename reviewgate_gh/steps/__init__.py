"""Pure steps from a change to a verdict: no files, no clock, no network, no randomness."""
