"""As much of an editor as it takes to time a language server: open, edit, wait for the new hints."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Queue
from typing import Any

WAIT = 60.0
_PAGES = 75
"""Lines above and below: VS Code asks for what it shows, a page before and a page behind it."""

_RESOLVED = {
    "resolveSupport": {
        "properties": ["tooltip", "textEdits", "label.tooltip", "label.location", "label.command"]
    }
}
"""What VS Code asks for only when somebody looks at a hint."""


class Editor:
    """One server over stdio and its open documents, one of them in front."""

    def __init__(
        self, command: Sequence[str], folder: Path, settings: Mapping[str, Any] = {}, **env: str
    ) -> None:
        """`settings` answers every question for configuration. Starts the server and shakes hands."""
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **env},
        )
        self._settings = settings
        self._answers: dict[int, Queue[Any]] = {}
        self._refreshed = threading.Event()
        self._number = self._version = 0
        self._texts: dict[str, list[str]] = {}
        self._uri = ""
        threading.Thread(target=self._listen, daemon=True).start()
        workspace = {"configuration": True, "inlayHint": {"refreshSupport": True}}
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
                "initializationOptions": settings,
                "capabilities": {"workspace": workspace, "textDocument": {"inlayHint": _RESOLVED}},
            },
        )
        self.tell("initialized", {})

    # ------------------------------------------------------------ the wire

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return
            message = json.loads(out.read(length))
            if message.get("method") == "workspace/inlayHint/refresh":
                self._refreshed.set()
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", ()) if message.get("params") else ()
                configuration = "configuration" in message["method"]
                self._send(
                    {"id": message["id"], "result": [self._settings] * len(items) if configuration else None}
                )
            elif "id" in message:
                self._answers[message["id"]].put(message)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result."""
        self._number += 1
        queue = self._answers[self._number] = Queue()
        self._send({"id": self._number, "method": method, "params": params})
        answer = queue.get(timeout=WAIT)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    # ------------------------------------------------------------ a document

    def open(self, path: Path, text: str) -> None:
        """Open a document, which is in front then."""
        self._uri = path.as_uri()
        self._texts[self._uri] = text.split("\n")
        document = {"uri": self._uri, "languageId": "python", "version": 0, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def show(self, path: Path) -> None:
        """Bring an open document to the front."""
        self._uri = path.as_uri()

    @property
    def _lines(self) -> list[str]:
        return self._texts[self._uri]

    def close(self) -> None:
        """Close the one in front."""
        self.tell("textDocument/didClose", {"textDocument": {"uri": self._uri}})

    def replace_line(self, line: int, new: str, lines: int = 1) -> None:
        """Put other text (of any number of lines) in the place of a line, from 0, or of so many."""
        self._version += 1
        last = line + lines - 1
        whole = {
            "start": {"line": line, "character": 0},
            "end": {"line": last, "character": len(self._lines[last])},
        }
        self._lines[line : last + 1] = new.split("\n")
        self.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self._uri, "version": self._version},
                "contentChanges": [{"range": whole, "text": new}],
            },
        )

    def hints(self, around: int | None = None) -> list[tuple[int, str]]:
        """The hints as the server shows them now: all, or those that VS Code asks for with a line in its middle."""
        last = len(self._lines) - 1
        first = 0 if around is None else max(0, around - _PAGES)
        until = last if around is None else min(last, around + _PAGES)
        answer = self.ask(
            "textDocument/inlayHint",
            {
                "textDocument": {"uri": self._uri},
                "range": {
                    "start": {"line": first, "character": 0},
                    "end": {"line": until, "character": len(self._lines[until])},
                },
            },
        )
        return [(hint["position"]["line"], _words(hint["label"])) for hint in answer or ()]

    def until(self, holds: Callable[[list[tuple[int, str]]], bool], around: int | None = None) -> float:
        """Seconds until the hints (see `hints`) are as they should be."""
        began = time.perf_counter()
        while not holds(self.hints(around)):
            if time.perf_counter() - began > WAIT:
                raise RuntimeError("the hints of the new text did not come")
            self._refreshed.wait(0.05)
            self._refreshed.clear()
        return time.perf_counter() - began

    def end(self) -> None:
        """End the server."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait(10)


def _words(label: str | list[dict[str, Any]]) -> str:
    return label if isinstance(label, str) else "".join(part["value"] for part in label)
