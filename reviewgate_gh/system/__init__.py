"""Every side effect: processes, git, files, clock, environment."""
