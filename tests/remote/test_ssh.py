"""Over ssh: the real client, and a server on the loopback address with keys of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from shapewise.remote.link import PYTHON, Link, RemoteError, command

asyncssh = pytest.importorskip("asyncssh")

STUB = Path(__file__).parent / "stub"
TEXT = "import torch\nprint('hello')\nx = torch.ones(3, 4)\n"

pytestmark = pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh client here")


def request(text: str = TEXT) -> dict[str, Any]:
    return {
        "files": [{"path": "m.py", "module": "", "text": text}],
        "main": "m.py",
        "name": "m",
        "package": "",
        "as_main": True,
        "watch": {},
        "trials": [],
        "cwd": None,
        "limits": {"seconds": 20, "memory": None},
    }


class Server:
    """Runs what it is asked to through a shell, as sshd does, after the words of a login shell."""

    def __init__(self, folder: Path, greeting: str) -> None:
        self.folder, self.greeting = folder, greeting
        self.connections: list[Any] = []
        self.children: list[asyncio.subprocess.Process] = []

    async def __aenter__(self) -> Server:
        host, user = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
        user.write_private_key(self.folder / "id")
        (self.folder / "id").chmod(0o600)
        user.write_public_key(self.folder / "authorized")
        self.server = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[host],
            authorized_client_keys=str(self.folder / "authorized"),
            process_factory=self.run,
            encoding=None,
        )
        port = self.server.sockets[0].getsockname()[1]
        public = host.export_public_key().decode().strip()
        (self.folder / "known").write_text(f"[127.0.0.1]:{port} {public}\n")
        self.prefix = (
            f"ssh -T -F none -p {port} -i {self.folder}/id -o IdentitiesOnly=yes -o BatchMode=yes"
            f" -o UserKnownHostsFile={self.folder}/known me@127.0.0.1"
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for connection in self.connections:
            connection.abort()
        await self.server.wait_closed()
        for child in self.children:
            if child.stdin is not None:
                child.stdin.close()
            await child.wait()
            child._transport.close()  # or it complains when the loop is gone

    async def run(self, process: Any) -> None:
        self.connections.append(process.channel.get_connection())
        child = await asyncio.create_subprocess_shell(
            f"{self.greeting}{process.command}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(STUB)},
        )
        self.children.append(child)
        giving = asyncio.create_task(give(process.stdin, child.stdin))
        await asyncio.gather(take(child.stdout, process.stdout), take(child.stderr, process.stderr))
        process.exit(await child.wait())
        giving.cancel()


async def take(source: Any, sink: Any) -> None:
    """What is printed, until it ends."""
    with contextlib.suppress(OSError, asyncssh.Error):
        while data := await source.read(1 << 16):
            sink.write(data)


async def give(source: Any, sink: Any) -> None:
    """What comes in; dropped once nobody reads it."""
    with contextlib.suppress(OSError, asyncssh.Error):
        while data := await source.read(1 << 16):
            with contextlib.suppress(OSError):
                sink.write(data)
                await sink.drain()
    sink.close()


async def talk(server: Server, text: str = TEXT) -> dict[str, Any]:
    async with Link(command(server.prefix, sys.executable)) as link:
        await link.start()
        return await link.run(request(text))


@pytest.mark.parametrize("greeting", ["", "echo Welcome to box; printf 'no line end '; "])
async def test_a_run_over_ssh(tmp_path, greeting):
    async with Server(tmp_path, greeting) as server:
        done = await talk(server)
    assert [place["seen"][0]["shape"] for place in done["places"] if place["name"] == "x"] == [[3, 4]]
    assert done["printed"] == "hello\n"


async def test_no_python_there(tmp_path):
    async with Server(tmp_path, "") as server:
        with pytest.raises(RemoteError, match=r"no such program there.*--python names another"):
            async with Link(command(server.prefix, "python-that-is-not-there")) as link:
                await link.start()


async def test_a_key_that_is_not_known(tmp_path):
    async with Server(tmp_path, "") as server:
        asyncssh.generate_private_key("ssh-ed25519").write_private_key(tmp_path / "id")
        with pytest.raises(RemoteError, match=r"exit code 255 before it could begin.*Permission denied"):
            await talk(server)


async def test_a_connection_that_is_cut(tmp_path):
    async with Server(tmp_path, "") as server:
        running = asyncio.ensure_future(talk(server, f"{TEXT}import time\ntime.sleep(60)\n"))
        while not server.connections:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.sleep(2)
        server.connections[0].abort()
        with pytest.raises(
            RemoteError, match=r"the connection (was cut|ended with exit code 255) during the run"
        ):
            await running


async def test_cancel_ends_the_far_end(tmp_path):
    file = tmp_path / "pid"
    text = f"import os, time\nopen({str(file)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    async with Server(tmp_path, "") as server:
        running = asyncio.ensure_future(talk(server, text))
        while not file.exists() or not file.read_text():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        for _ in range(100):
            try:
                os.kill(int(file.read_text()), 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.05)
    pytest.fail("it still runs")


def test_the_command_means_the_same_with_and_without_a_shell():
    words = command("ssh box", "python3")
    assert words == ["ssh", "box", "python3", *PYTHON]
    assert all(word.isascii() and not set(word) & set("'\"$`\\*?[]{}()<>|&;~# \t\n") for word in words)


def test_a_prefix_that_is_none():
    with pytest.raises(RemoteError, match="cannot be split into words"):
        command("ssh 'box", "python3")
