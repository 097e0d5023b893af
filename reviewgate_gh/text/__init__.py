"""The doors that shown, logged or posted text passes: redact, visible, escape, sanitize."""
