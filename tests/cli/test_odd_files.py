"""Files as they are found in the world: encodings, line ends, links, locked folders. One sentence at worst."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAIN = "import torch\nx = torch.zeros(2, 3)\n"
ODD = {
    "crlf.py": PLAIN.replace("\n", "\r\n").encode(),
    "cr.py": PLAIN.replace("\n", "\r").encode(),
    "bom.py": b"\xef\xbb\xbf" + PLAIN.encode(),
    "tabs.py": b"import torch\nif True:\n\tx = torch.zeros(2, 3)\n",
    "emoji.py": "import torch\nname = '😀é𝕏'; x = torch.zeros(2, 3)\n".encode(),
    "latin.py": "# -*- coding: latin-1 -*-\nimport torch\nname = 'é'; x = torch.zeros(2, 3)\n".encode(
        "latin-1"
    ),
    "cyrillic.py": "# coding: cp1251\nimport torch\nимя = 1; x = torch.zeros(2, 3)\n".encode("cp1251"),
    "feed.py": PLAIN.replace("\n", "\n\f\n").encode(),
    "no_end.py": PLAIN.rstrip("\n").encode(),
    "long_line.py": (PLAIN + "y = '" + "a" * 1_000_000 + "'\n").encode(),
}
UNREADABLE = {
    "wrong.py": b"x = '\xff\xfe'\n",
    "claims.py": b"# coding: no-such-codec\nx = 1\n",
    "rot13.py": b"# coding: rot13\nvzcbeg bf\n",
    "wide.py": PLAIN.encode("utf-16"),
}

pytestmark = pytest.mark.slow


def test_every_file_has_its_facts_or_one_sentence(tmp_path: Path) -> None:
    for name, data in {**ODD, **UNREADABLE}.items():
        (tmp_path / name).write_bytes(data)
    names = [*ODD, *UNREADABLE, "gone.py"]
    if hasattr(os, "symlink") and os.name != "nt":
        (tmp_path / "round.py").symlink_to("round.py")
        (tmp_path / "ring").symlink_to(tmp_path)
        names += ["round.py", "ring/ring/ring/crlf.py"]
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "a.py").write_text(PLAIN)
    locked.chmod(0o500)
    command = [sys.executable, "-m", "shapewise", "facts", *names, "locked/a.py", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    locked.chmod(0o700)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    told = {Path(one["file"]).name: one for one in map(json.loads, done.stdout.splitlines())}
    for name in ODD:
        found = [f for f in told[name]["facts"] if f["name"] == "x" and f["kind"] == "binding"]
        assert [f["shape"] for f in found] == [[2, 3]], name
    for name in [*UNREADABLE, "gone.py"]:
        assert "error" in told[name], name
        assert "\n" not in told[name]["error"]
    assert [f["shape"] for f in told["a.py"]["facts"] if f["name"] == "x"] == [[2, 3]]


def test_columns_count_characters(tmp_path: Path) -> None:
    (tmp_path / "emoji.py").write_bytes(ODD["emoji.py"])
    (tmp_path / "latin.py").write_bytes(ODD["latin.py"])
    command = [sys.executable, "-m", "shapewise", "facts", "emoji.py", "latin.py", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    emoji, latin = [json.loads(line) for line in done.stdout.splitlines()]
    columns = [
        next(f for f in one["facts"] if f["name"] == "x" and f["kind"] == "binding")["column"]
        for one in (emoji, latin)
    ]
    assert columns == [len("name = '😀é𝕏'; "), len("name = 'é'; ")]
