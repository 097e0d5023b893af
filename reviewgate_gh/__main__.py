"""`python -m reviewgate_gh`."""

from .cli import main

if __name__ == "__main__":
    main()
