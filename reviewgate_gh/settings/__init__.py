"""The settings that count for a change: read from the trusted side, checked, raised to the
organisation's floor."""
