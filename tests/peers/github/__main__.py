"""`python -m tests.peers.github --repo PATH [--port N]`: a fake GitHub for people and for act,
until it is interrupted."""

import argparse
import signal
import threading
from pathlib import Path

from .servers import Servers


def main() -> None:
    """Serve one repository; prints the environment that a client needs."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers.github", description=__doc__)
    parser.add_argument(
        "--repo", type=Path, required=True, help="a git repository; it gets refs/pull/1/head"
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--name", default="octo/repo")
    parser.add_argument("--head", default="", help="open pull request 1 from this branch or commit")
    parser.add_argument("--base", default="main")
    parser.add_argument(
        "--referee",
        action="store_true",
        help="GitHub's own descriptions judge it (tests/peers/install.sh)",
    )
    asked = parser.parse_args()
    over, servers = threading.Event(), Servers(asked.referee)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    try:
        with servers.github(port=asked.port) as github:
            repo = github.repository(asked.repo, asked.name, default_branch=asked.base)
            if asked.head:
                repo.pull(asked.head, asked.base)
            print(github.url)
            for name, value in github.env(github.token(), asked.name).items():
                print(f"{name}={value}")
            print(f"{github.url}/__fake/journal has the requests", flush=True)
            over.wait()
    finally:
        servers.stop()


if __name__ == "__main__":
    main()
