"""A server on loopback that speaks TLS with a certificate that nobody knows."""

import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_MADE = (
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
    "/CN=localhost -addext subjectAltName=IP:127.0.0.1"
)
_LENGTH = re.compile(rb"(?i)content-length: (\d+)\r\n(?s:.*?)\r\n\r\n|\r\n\r\n")
_ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"


@dataclass
class Safe:
    """Where it listens, the certificate's file, and what was sent to it."""

    port: int
    certificate: Path
    sent: list[bytes] = field(default_factory=list)


@contextmanager
def safe_server(folder: Path) -> Iterator[Safe]:
    """It answers every request with an empty object."""
    key, certificate = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", *_MADE.split(), "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    sent: list[bytes] = []

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as safe:
            sent.append(_request(safe))
            safe.sendall(_ANSWER)

    with listening(talk) as port:
        yield Safe(port, certificate, sent)


def _request(safe: ssl.SSLSocket) -> bytes:
    """All of it: with anything unread the end of the connection would break off the answer, too."""
    said = b""
    while not (found := _LENGTH.search(said)) or len(said) < found.end() + int(found[1] or 0):
        if not (more := safe.recv(10_000)):
            break
        said += more
    return said


@contextmanager
def listening(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that does this with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                    with connection:
                        talk(connection)
                except OSError:
                    if server.fileno() < 0:
                        return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
