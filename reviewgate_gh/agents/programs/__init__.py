"""The coding agents that are known, one a module; its file name is the agent's name."""
