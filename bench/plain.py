"""A whole trace against a plain run of the same file under FakeTensorMode, in processor time, cold and warm."""

from __future__ import annotations

import json
import subprocess
import sys

_PLAIN = """
import json, sys, time
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
torch.set_num_threads(1)
torch.zeros(1)
for text in json.load(sys.stdin):
    began = time.thread_time()
    with FakeTensorMode(allow_non_fake_inputs=True):
        exec(compile(text, "bench", "exec"), {"__name__": "__main__"})
    print(time.thread_time() - began, flush=True)
"""
_TRACED = """
import json, sys, time
import torch
from shapewise.trace import session
torch.set_num_threads(1)
session.prepare()
for text in json.load(sys.stdin):
    began = time.thread_time()
    session.trace("/bench.py", text, {})
    print(time.thread_time() - began, flush=True)
    session.tidy()
"""
_WARMING = 4


def compared(text: str, times: int) -> dict[str, list[float]]:
    """Seconds of the processor for each, of a text whose first line of its own changes every time."""
    texts = [text.replace("batch = 4", f"batch = {4 + number % 4}") for number in range(_WARMING + times)]
    found = {}
    for name, program in (("a plain run under FakeTensorMode", _PLAIN), ("a whole trace", _TRACED)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(texts),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        seconds = [float(line) for line in done.stdout.splitlines()]
        found[f"{name}, cold"], found[f"{name}, warm"] = seconds[:1], seconds[_WARMING:]
    return found
