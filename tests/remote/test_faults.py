"""Two hundred ways in which a connection is not well: the run is right, or one sentence says why not."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from shapewise.remote import link as link_module
from shapewise.remote.link import Link, RemoteError

HERE = Path(__file__).parent
TEXT = "import torch\nprint('hello', flush=True)\nx = torch.ones(3, 4)\n"
REQUEST: dict[str, Any] = {
    "files": [{"path": "m.py", "module": "", "text": TEXT}],
    "main": "m.py",
    "name": "m",
    "package": "",
    "as_main": True,
    "watch": {},
    "trials": [],
    "cwd": None,
    "limits": {"seconds": 5, "memory": None},
}


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE / "stub"))
    monkeypatch.setattr(link_module, "_GRACE", 2.0)
    monkeypatch.setattr(link_module, "_SILENCE", 8.0)


async def talk(fault: Path, seconds: float) -> dict[str, Any]:
    words = [sys.executable, str(HERE / "faulty.py"), str(fault), sys.executable, *link_module.PYTHON]
    async with Link(words, seconds) as link:
        await link.start()
        return await link.run({**REQUEST, "limits": {"seconds": seconds, "memory": None}})


def right(done: dict[str, Any]) -> bool:
    seen = [place["seen"][0]["shape"] for place in done["places"] if place["name"] == "x"]
    return seen == [[3, 4]] and done["error"] is None and "hello" in done["printed"]


def faults() -> list[tuple[str, dict[str, Any], bool]]:
    """A name, the fault, and whether the run has to be right in spite of it."""
    dice = random.Random(9)
    made: list[tuple[str, dict[str, Any], bool]] = []
    banners = [
        "Welcome to box\r\n",
        "Last login: Mon\n\nshapewise-boo\n",
        "x" * 3_000_000 + "\n",
        "no line end ",
        "@12 deadbeef\n",
        "\x1b[?1034h>>> ",
        "Content-Length: 12\r\n\r\n",
    ]
    for number in range(25):
        text = dice.choice(banners) * dice.randint(1, 3)
        made.append((f"banner {number}", {"banner": text[:4_000_000]}, True))
    made += [
        (f"crlf {number}", {"crlf": dice.choice(["out", "both"]), "piece": dice.randint(1, 5000)}, True)
        for number in range(10)
    ]
    for number in range(15):
        fault = {"delay": dice.uniform(0, 0.004), "piece": dice.choice([7, 50, 200, 1000])}
        made.append((f"slow {number}", fault, True))
    for number in range(15):
        text = dice.choice(["srun: job 12 queued\n", "\n\n", "@@@\n", "@5 zzz\r\n", "kubectl: retrying\r\n"])
        made.append((f"noise {number}", {"noise": text}, True))
    for number in range(10):
        fault = {"banner": "motd\n", "noise": "note\n", "crlf": "out", "delay": 0.001, "piece": 300}
        made.append((f"all at once {number}", {**fault, "piece": dice.randint(100, 2000)}, True))
    ends = [
        (255, "ssh: connect to host box port 22: Connection refused\r\n"),
        (255, "me@box: Permission denied (publickey).\r\n"),
        (1, "srun: error: Unable to allocate resources: Invalid partition\n"),
        (127, "bash: line 1: python3: command not found\n"),
        (126, "OCI runtime exec failed: exec failed\n"),
        (1, 'Error from server (NotFound): pods "pod" not found\n'),
        (0, ""),
    ]
    for number in range(21):
        code, words = ends[number % len(ends)]
        made.append(
            (f"refused {number}", {"exit": code, "says": words, "banner": "hi\n" * (number % 2)}, False)
        )
    made += [
        (f"cut {number}", {"cut": dice.randint(0, 1900), "code": dice.choice([0, 1, 255])}, False)
        for number in range(40)
    ]
    made += [
        (f"lost {number}", {"drop": [dice.randint(0, 1900), dice.randint(1, 200)]}, False)
        for number in range(25)
    ]
    made += [(f"changed {number}", {"flip": dice.randint(0, 1900)}, False) for number in range(15)]
    for number in range(12):
        text = dice.choice(["\nBroadcast message: shutdown\n", "}", "x" * 300])
        made.append((f"within {number}", {"within": [dice.randint(30, 1900), text]}, False))
    made += [(f"killed {number}", {"kill": dice.uniform(0.0, 0.3)}, False) for number in range(6)]
    made += [(f"hangs {number}", {"hang": [0, 20, 60, 400][number]}, False) for number in range(4)]
    made += [(f"deaf {number}", {"deaf": [1, 4000][number]}, False) for number in range(2)]
    return made


FAULTS = faults()


def test_there_are_two_hundred():
    assert len(FAULTS) >= 200


EACH_KIND = 3
"""Of each kind of fault one in so many is tried, and all with `--thorough`."""


@pytest.mark.parametrize(
    "name, fault, survives",
    [
        pytest.param(*one, id=one[0], marks=[pytest.mark.thorough] if number % EACH_KIND else [])
        for number, one in enumerate(FAULTS)
    ],
)
async def test_a_fault(name, fault, survives, tmp_path):
    began = time.monotonic()
    file = tmp_path / "pid"
    waits = fault.keys() & {"hang", "deaf", "drop", "flip", "within"}
    sentence = ""
    (tmp_path / "fault").write_text(json.dumps({**fault, "pid": str(file)}))
    try:
        done = await talk(tmp_path / "fault", 1.5 if waits else 15.0)
        assert right(done)
    except RemoteError as error:
        sentence = str(error)
        assert "\n" not in sentence and sentence.endswith(".") and 20 < len(sentence) < 900, sentence
        if fault.get("says"):
            assert fault["says"].strip() in sentence
    assert not (survives and sentence), sentence
    assert time.monotonic() - began < 30
    if file.exists():
        assert await gone(int(file.read_text()))


async def gone(pid: int) -> bool:
    """Whether a process ends, and so soon after its stdin did."""
    import asyncio

    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.05)
    return False


async def test_a_terminal_is_refused(monkeypatch):
    words = ["script", "-qc", f"{sys.executable} -u -q -i", "/dev/null"]
    with pytest.raises(RemoteError) as caught:
        async with Link(words, boot_seconds=10) as link:
            await link.start()
    if "cannot be run on this machine" in str(caught.value):
        pytest.skip("there is no `script` here")
    assert "gives a terminal" in str(caught.value)


async def test_a_program_that_is_not_there():
    with pytest.raises(RemoteError, match="cannot be run on this machine: No such file"):
        await Link(["srunx", "python3"]).start()


async def test_no_torch(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('No module named torch')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RemoteError, match=r"^Python .* has no torch\.$"):
        async with Link([sys.executable, *link_module.PYTHON]) as link:
            await link.start()


async def test_an_old_torch(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("__version__ = '1.8.1'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RemoteError, match=r"^torch 1\.8\.1 on .* is older than 2\.0"):
        async with Link([sys.executable, *link_module.PYTHON]) as link:
            await link.start()


@pytest.mark.parametrize(
    "text, expected",
    [
        ("import os\nos.kill(os.getpid(), 9)\n", "ended by signal SIGKILL"),
        ("import os\nprint('bye')\nos._exit(7)\n", 'exit code 7; the last that it printed: "bye"'),
    ],
)
async def test_a_run_that_dies(text, expected):
    with pytest.raises(RemoteError, match=expected):
        await run(text)


async def run(text: str, **changes: Any) -> dict[str, Any]:
    request = {**REQUEST, "files": [{"path": "m.py", "module": "", "text": text}], **changes}
    async with Link([sys.executable, *link_module.PYTHON]) as link:
        await link.start()
        return await link.run(request)


async def test_prints_do_not_break_the_protocol():
    text = (
        "import os, sys, torch\n"
        "for number in (1, 2):\n"
        "    os.write(number, b'\\n@5 00000000\\nhello\\n')\n"
        "sys.stdout.write('x' * 3_000_000)\n"
        "assert not sys.stdin.read()\n"
        "x = torch.ones(3, 4)\nprint('hello')\n"
    )
    done = await run(text)
    assert right(done) and done["printed_bytes"] > 3_000_000 and len(done["printed"]) <= 16_000


async def test_what_was_seen_counts_when_time_is_over():
    limits = {"limits": {"seconds": 1, "memory": None}}
    done = await run(f"{TEXT}import time\nwhile True: time.sleep(0.01)\n", **limits)
    assert right(done) and done["stopped"] == "its time was over"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="memory is read from /proc")
async def test_a_memory_limit():
    limits = {"limits": {"seconds": 20, "memory": 300_000_000}}
    done = await run(f"{TEXT}import time\nheld = bytearray(400_000_000)\ntime.sleep(20)\n", **limits)
    assert right(done) and "more than its limit of 0.3 GB" in done["stopped"]


async def test_cancel_ends_all_that_was_started(tmp_path):
    import asyncio

    file = tmp_path / "pids"
    text = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(file)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(60)\n"
    )
    running = asyncio.ensure_future(run(text))
    while not running.done() and (not file.exists() or " " not in file.read_text()):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for pid in file.read_text().split():
        assert await gone(int(pid))


async def test_the_far_end_leaves_nothing_behind(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert right(await run(TEXT))
    assert not [*tmp_path.iterdir()]
