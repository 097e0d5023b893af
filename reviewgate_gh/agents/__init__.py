"""The gate inside coding agents: hooks that a session runs, and the files that set them up."""
