"""The tools that agents can call, one a module; its file name is the tool's name."""
