"""What an agent starts as an MCP server: it hands messages on to the gate, which answers them, and
back. It has no rights, no settings and no knowledge of its own.

Run as a program with the path of the gate's socket. It imports nothing of ours.
"""

import os
import socket
import sys
import threading
from contextlib import suppress

_SIZE = 65_536


def main(address: str) -> int:
    """Exits 0 when one of the two has closed its end."""
    gate = socket.socket(socket.AF_UNIX)
    # An address has room for about a hundred characters, and a folder may have a longer name
    folder, name = os.path.split(address)
    os.chdir(folder)
    gate.connect(name)

    def ask() -> None:
        with suppress(OSError):
            while data := os.read(sys.stdin.fileno(), _SIZE):
                gate.sendall(data)
            gate.shutdown(socket.SHUT_WR)

    threading.Thread(target=ask, daemon=True).start()
    with suppress(OSError):
        while data := gate.recv(_SIZE):
            _write(data)
    return 0


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(sys.stdout.fileno(), data) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
