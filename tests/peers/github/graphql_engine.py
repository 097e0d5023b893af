"""GraphQL over HTTP: Node executes the documents on GitHub's own schema, the state is here."""

import contextlib
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from .graphql_data import Data
from .graphql_mutations import mutate
from .routes import Answer, Call, Refusal, route
from .shapes import Json
from .world import World

_SCRIPT = Path(__file__).with_name("graphql.mjs")


class Engine:
    """A process of Node, started at the first document."""

    def __init__(self, node: Path, modules: Path) -> None:
        self._argv = [str(node), str(_SCRIPT), str(modules.parent)]
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def answer(self, world: World, call: Call) -> Answer:
        """What GitHub answers: 200 with data, errors, or both."""
        body = call.json()
        if not isinstance(body.get("query"), str):
            raise Refusal(400, "A query attribute must be specified and must be a string.")
        data = Data(call)
        asked = {
            "query": body["query"],
            "variables": body.get("variables"),
            "operationName": body.get("operationName"),
        }
        with self._lock:
            self._start()
            self._say({**asked, "data": data.root, "nodes": data.nodes})
            while "mutation" in (heard := self._hear()):
                payload = mutate(call, heard["mutation"], heard["input"])
                self._say({"payload": payload, "nodes": Data(call).nodes})
        return Answer(200, heard["result"])

    def stop(self) -> None:
        """End the process."""
        if self._process:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._process.wait(timeout=10)
            self._process.stdout.close()

    def _start(self) -> None:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            self._hear()

    def _say(self, value: Json) -> None:
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._argv} ended with {self._process.wait()}")
        return json.loads(line)


@route("POST", "/graphql")
def graphql(call: Call) -> Answer:
    if call.token is None:
        raise Refusal(401, "This endpoint requires you to be authenticated.")
    if call.world.graphql is None:
        raise Refusal(503, "This fake of GitHub was started without GraphQL")
    return call.world.graphql(call.world, call)
