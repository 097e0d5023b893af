"""Findings: where they stand, how they are merged, recognised again, waived and suppressed."""
