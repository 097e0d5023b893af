"""The command line without Python's start: a process that has imported the program forks for every
call.

The start is most of what a call costs, and there are thousands. The fork runs the program from its
first line, in a folder, an environment and pipes of its own; only what it imports is there already.
With REVIEWGATE_GH_FULL every call is started from nothing.
"""

import gc
import importlib
import os
import pickle
import pkgutil
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

_SCRIPTS = ("__main__", "_sdk_session")  # they are run, not imported
# What the program imports where it first needs it, which takes longer than all else that most calls
# do.
_LIBRARIES = (
    *(
        "ctypes",
        "encodings.idna",
        "encodings.utf_16_le",
        "encodings.utf_8_sig",
        "importlib.metadata",
        "tomllib",
        "zoneinfo",
    ),
    *(
        "yaml",
        "requests",
        "pydantic.dataclasses",
        "pydantic.fields",
        "pydantic.types",
        "pydantic.json_schema",
        "pydantic.type_adapter",
    ),
)
_FDS = 5  # of a request: itself, the three streams, and where the exit code goes
_MOST_FDS, _MOST_NAMES = 256, 1 << 16


class Warm:
    """Gives calls to the process that forks; `run` may be called from several threads at once."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._start, (self._socket, theirs) = (
            _of_the_start(env),
            socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET),
        )
        argv = [
            sys.executable,
            "-P",
            "-c",
            "from tests.warm import serve; serve()",
            str(theirs.fileno()),
        ]
        with theirs:  # it ends when our end is closed
            self._process = subprocess.Popen(
                argv,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    @staticmethod
    def can() -> bool:
        """Whether this system has what it takes."""
        return hasattr(os, "pidfd_open") and hasattr(os, "memfd_create")

    def fits(self, env: Mapping[str, str]) -> bool:
        """Whether Python would have started in the same way, but for folders to import from that
        hold nothing of what is imported."""
        added = self._added(env)
        same = _of_the_start({**env, "PYTHONPATH": ""}) == {**self._start, "PYTHONPATH": ""}
        return added is not None and same and all(map(self._holds_others, added))

    def _added(self, env: Mapping[str, str]) -> list[str] | None:
        """The folders behind our own; None where they are none of that."""
        ours, *added = env.get("PYTHONPATH", "").split(os.pathsep)
        return (
            added if ours == self._start["PYTHONPATH"] and all(map(os.path.isabs, added)) else None
        )

    def _holds_others(self, folder: str) -> bool:
        """A folder to import from has no module that is imported already, and none that Python
        imports at its start."""
        try:
            return {name.partition(".")[0] for name in os.listdir(folder)}.isdisjoint(
                {*self._imported, "sitecustomize", "usercustomize"}
            )
        except OSError:
            return False

    @cached_property
    def _imported(self) -> list[str]:
        """What the process that forks tells when it is ready."""
        return self._socket.recv(_MOST_NAMES).decode().split()

    def run(
        self,
        module: str,
        args: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes,
        timeout: float,
    ) -> tuple[int, bytes, bytes]:
        """`python -P -m MODULE ARGS`: exit code and outputs as of subprocess.

        At the timeout it is killed: the code says so.
        """
        (their_in, feed), (out, their_out), (err, their_err), (code, their_code) = (
            os.pipe() for _ in range(4)
        )
        with open(os.memfd_create("request"), "w+b") as request:
            pickle.dump((module, list(args), os.fspath(cwd), dict(env), self._added(env)), request)
            request.flush()
            socket.send_fds(
                self._socket,
                [b"call"],
                [request.fileno(), their_in, their_out, their_err, their_code],
            )
        for end in (their_in, their_out, their_err, their_code):
            os.close(end)
        with ThreadPoolExecutor(3) as pool, open(code, "rb", buffering=0) as told:
            pool.submit(_write, feed, stdin)
            outputs = [pool.submit(_read, end) for end in (out, err)]
            child = int(told.readline())
            if not select.select([told], [], [], timeout)[0]:
                os.kill(child, signal.SIGKILL)
            return int(told.readline()), outputs[0].result(), outputs[1].result()


def _of_the_start(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in env.items() if name.startswith(("PYTHON", "LC_", "LANG"))
    }


def _write(end: int, data: bytes) -> None:
    try:
        with open(end, "wb") as file:
            file.write(data)
    except BrokenPipeError:  # nobody has to read what he is given
        pass


def _read(end: int) -> bytes:
    with open(end, "rb") as file:
        return file.read()


def serve() -> None:
    """Run the program once for every request, each in a fork; ends with the client."""
    package = importlib.import_module("reviewgate_gh")
    for found in pkgutil.walk_packages(package.__path__, "reviewgate_gh."):
        if found.name.rpartition(".")[2] not in _SCRIPTS:
            importlib.import_module(found.name)
    for name in _LIBRARIES:
        importlib.import_module(name)
    gc.freeze()  # what is there already is looked through by no fork
    client = socket.socket(fileno=int(sys.argv[1]))
    client.send(" ".join({name.partition(".")[0] for name in sys.modules}).encode())
    request, *streams, _ = _child(client)
    with open(request, "rb") as file:
        file.seek(0)
        module, args, cwd, env, added = pickle.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, _MOST_FDS)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[1:1] = added
    sys.modules.pop(module, None)  # else it would be told that it is there already
    sys.argv = ["reviewgate-gh", *args]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _child(client: socket.socket) -> list[int]:
    """What came with the request: this returns in the forks alone."""
    with client, selectors.DefaultSelector() as events:
        events.register(client, selectors.EVENT_READ)
        while True:
            for key, _ in events.select():
                if key.fileobj is not client:
                    events.unregister(key.fileobj)
                    _tell(key.fd, *key.data)
                    continue
                fds = socket.recv_fds(client, 16, _FDS)[1]
                if not fds:
                    os._exit(0)
                child = os.fork()
                if not child:
                    return fds
                events.register(os.pidfd_open(child), selectors.EVENT_READ, (child, fds[-1]))
                os.write(fds[-1], b"%d\n" % child)
                for fd in fds[:-1]:
                    os.close(fd)


def _tell(pidfd: int, child: int, code: int) -> None:
    os.close(pidfd)
    os.write(code, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.close(code)
