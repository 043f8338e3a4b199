"""From an edit to the new hints, through the real server: `python tests/bench/edit_latency.py [EDITS]`.

A file of 150 lines is opened and one character of it is changed again and again. Printed: the time
until the hints of the new text are there, and the time of a plain run of the same text under
FakeTensorMode in a warm process (what any approach that runs the file again must pay).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Queue
from typing import Any

BLOCK = """
class Block{0}(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).split(c, dim=2)
        q = q.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        k = k.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = v.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        att = q @ k.transpose(-2, -1) * k.size(-1) ** -0.5
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).reshape(b, t, c)
        return x + self.proj(y)


block{0} = Block{0}(64, 8)
x = block{0}(x)
loss{0} = x.mean()
"""
TEXT = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\nx = torch.randn(4, 16, 64)\n"
TEXT += "".join(BLOCK.format(number) for number in range(6))
PLAIN = """
import json, sys, time
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
texts = json.load(sys.stdin)
for text in [texts[0]] * 3 + texts:
    began = time.perf_counter()
    with FakeTensorMode(allow_non_fake_inputs=True):
        exec(compile(text, "bench", "exec"), {"__name__": "__main__"})
    print(time.perf_counter() - began, flush=True)
"""


class Server:
    """As much of an editor as it takes."""

    def __init__(self) -> None:
        environment = {**os.environ, "SHAPEWISE_PYTHON": sys.executable}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "shapewise", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self.answers: dict[int, Queue[Any]] = {}
        self.refreshed = threading.Event()
        self.number = 0
        threading.Thread(target=self._listen, daemon=True).start()

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
                self.refreshed.set()
            if "method" in message and "id" in message:
                empty = (
                    [{}] * len(message["params"].get("items", ()))
                    if "configuration" in message["method"]
                    else None
                )
                self._send({"id": message["id"], "result": empty})
            elif "id" in message:
                self.answers[message["id"]].put(message)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any, timeout: float = 120) -> Any:
        self.number += 1
        queue = self.answers[self.number] = Queue()
        self._send({"id": self.number, "method": method, "params": params})
        answer = queue.get(timeout=timeout)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]


def versions(count: int) -> list[tuple[str, int]]:
    """The text with another batch size each time, and that size."""
    return [
        (TEXT.replace("torch.randn(4,", f"torch.randn({number % 5 + 3},"), number % 5 + 3)
        for number in range(count)
    ]


def served(texts: list[tuple[str, int]], folder: Path) -> list[float]:
    """Seconds from each edit until the hints name the new size."""
    server = Server()
    uri = (folder / "bench.py").as_uri()
    (folder / "bench.py").write_text(TEXT)
    hinting = {"textDocument": {"inlayHint": {}}, "workspace": {"inlayHint": {"refreshSupport": True}}}
    server.ask("initialize", {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": hinting})
    server.tell("initialized", {})
    document = {"uri": uri, "languageId": "python", "version": 0, "text": TEXT}
    server.tell("textDocument/didOpen", {"textDocument": document})
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": TEXT.count("\n") + 1, "character": 0}}
    row = TEXT.split("\n").index("x = torch.randn(4, 16, 64)")
    column = len("x = torch.randn(")
    digit = {"start": {"line": row, "character": column}, "end": {"line": row, "character": column + 1}}

    def hints_name(size: int) -> bool:
        hints = (
            server.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": everything}) or []
        )
        lines = {hint["position"]["line"]: json.dumps(hint["label"]) for hint in hints}
        return all(str(size) in lines.get(place, "") for place in (row, TEXT.count("\n") - 2))

    deadline = time.perf_counter() + 120
    while not hints_name(4) and time.perf_counter() < deadline:
        time.sleep(0.1)
    seconds = []
    for version, (_, size) in enumerate(texts, 1):
        server.refreshed.clear()
        began = time.perf_counter()
        change = {"range": digit, "text": str(size)}
        server.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
        )
        while not hints_name(size):
            if time.perf_counter() - began > 20:
                raise RuntimeError("the hints of the new text did not come")
            server.refreshed.wait(1)
            server.refreshed.clear()
        seconds.append(time.perf_counter() - began)
    server.ask("shutdown", None)
    server.tell("exit", None)
    return seconds


def plain(texts: list[tuple[str, int]]) -> list[float]:
    """Seconds of a plain run of each text, warm."""
    done = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=json.dumps([text for text, _ in texts]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [float(line) for line in done.stdout.splitlines()][3:]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    texts = versions(count)
    with tempfile.TemporaryDirectory() as folder:
        through = sorted(served(texts, Path(folder)))
    alone = sorted(plain(texts))
    for name, times in (("edit to hints", through), ("plain fake run", alone)):
        p95 = times[int(0.95 * (len(times) - 1))]
        print(f"{name:15} median {1e3 * statistics.median(times):7.1f} ms   p95 {1e3 * p95:7.1f} ms")
    print(
        f"ratio           {statistics.median(through) / statistics.median(alone):.2f}  ({TEXT.count(chr(10))} lines, {count} edits)"
    )


if __name__ == "__main__":
    main()
