"""git's own server for HTTP, behind a password."""

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@contextmanager
def served(repository: Path, login: str) -> Iterator[str]:
    """The address of a bare repository, for whoever gives `user:password`."""
    wanted = f"Basic {base64.b64encode(login.encode()).decode()}"

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer by `git http-backend`."""
            if self.headers.get("authorization") != wanted:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            head, _, body = self._asked().partition(b"\r\n\r\n")
            rows = dict(row.split(": ", 1) for row in head.decode().split("\r\n"))
            self.send_response(int(rows.pop("Status", "200").split(" ")[0]))
            for name, value in {**rows, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def _asked(self) -> bytes:
            target = urlsplit(self.path)
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            env = {
                **os.environ, "GIT_PROJECT_ROOT": str(repository.parent),
                "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "ada",
                "REQUEST_METHOD": self.command, "PATH_INFO": target.path,
                "QUERY_STRING": target.query,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "CONTENT_LENGTH": str(len(sent)),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
            }  # fmt: skip
            return subprocess.run(
                ["git", "http-backend"],
                env=env,
                input=sent,
                capture_output=True,
                timeout=60,
                check=True,
            ).stdout

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/{repository.name}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
