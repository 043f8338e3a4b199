"""A long session of typing: no hint and no finding ever stands at a place that is not its own, and none flickers.

Every name in the text has a size of its own, so that a hint behind another name would be seen.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec

from shapewise.analysis import Analysis
from shapewise.lsp.configuration import Settings
from shapewise.lsp.diagnostics import diagnostics
from shapewise.lsp.documents import Document, Known, Snapshot
from shapewise.lsp.inlay_hints import hints
from shapewise.lsp.kinds import hinted
from shapewise.lsp.positions import from_range, to_range
from shapewise.lsp.texts import Text
from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.rules import check
from shapewise.trace import session
from shapewise.vocabulary.facts import TensorFact
from shapewise.vocabulary.span import Span

CODEC = PositionCodec(types.PositionEncodingKind.Utf16)
EDITS = 500

HEAD = "import torch\nfrom torch import nn\n\n"
LINES = [
    "v{n} = torch.zeros({n})",
    "'😀é'; v{n} = torch.zeros({n}, 2)[:, 0]  # 😀",
    "def f{n}(v{n}):\n\treturn (v{n}\n\t\t.relu()\n\t\t.exp())\nv{m} = f{n}(torch.ones({n})).repeat({m})[:{m}]",
    "for v{n} in torch.zeros(2, {n}):\n    pass",
    "class N{n}:\n    def __init__(self):\n        self.v{n} = torch.ones({n})\nN{n}()",
    "v{n} = torch.zeros({n}); w{n} = v{n}.view({m})",
    "v{n} = (torch.zeros({n})\n    .relu()\n    .abs())",
]
TYPED = [
    "\n",
    "x = 1\n",
    "v",
    "(",
    ")",
    "'",
    '"""',
    "😀",
    "\t",
    "    ",
    "# ",
    "[",
    "if v3:\n",
    "torch.",
    ",",
    "1",
    "é",
]


class Typist:
    """Edits as they come from people: characters, lines that come and go, pasted blocks, all undone at times."""

    def __init__(self, text: Text, seed: int) -> None:
        self.text = text
        self.random = random.Random(seed)
        self.numbers = iter(range(1000, 100_000, 7))
        self.undo: list[tuple[int, int, str]] = []

    def line(self) -> str:
        number = next(self.numbers)
        return self.random.choice(LINES).format(n=number, m=number + 1)

    def type(self) -> None:
        """One edit."""
        text = self.text.source
        kind = self.random.random()
        if self.undo and kind < 0.35:
            self.replace(*self.undo.pop())
            return
        at = self.random.randrange(len(text) + 1)
        line = text.rfind("\n", 0, at) + 1
        if kind < 0.65:
            start, end, new = at, at, self.random.choice(TYPED)
        elif kind < 0.75:
            start, end, new = at, min(len(text), at + self.random.choice((1, 1, 1, 5, 40))), ""
        elif kind < 0.88 or len(text) > 6000:
            start, end, new = line, text.find("\n", at) + 1 or len(text), ""
        else:
            start, end, new = line, line, self.line() + "\n"
        self.undo.append((start, start + len(new), text[start:end]))
        self.replace(start, end, new)

    def replace(self, start: int, end: int, new: str) -> None:
        range_ = to_range(self.text.map, CODEC, self.text.map.between(start, end))
        self.text.apply_change(types.TextDocumentContentChangePartial(range=range_, text=new))


def analysed(snapshot: Snapshot, said: Said) -> Known:
    """What the tracer and the rules say of a moment."""
    repaired = repair(snapshot.source.text)
    broken = {one.span.line: one.names for one in repaired.broken}
    log = session.trace("model.py", repaired.text, broken)
    findings, facts = check(log, repaired.text), facts_of(log)
    for fact in facts:
        said[fact.name].add(fact.value.shape if isinstance(fact.value, TensorFact) else None)
    return Known(Analysis(snapshot.source, repaired, log, facts, findings, runs=log), findings)


Said = dict[str, set[object]]
"""By name, every shape that an analysis has found for it."""


def misplaced(document: Document, text: Text, said: Said) -> list[str]:
    """The hints and findings that are not where they belong."""
    found = []
    for fact, kind in hinted(text):
        written = text.map.slice(fact.span)
        shape = fact.value.shape if isinstance(fact.value, TensorFact) else None
        if fact.kind in ("binding", "parameter"):
            if "".join(written.split()) != fact.name or shape not in said[fact.name]:
                found.append(f"{kind} {fact.name} {shape} at {written!r}")
        elif not written.startswith(
            "return" if fact.kind == "return" else ("(", "v", "torch", "'", "f", "(")
        ):
            found.append(f"{kind} at {written!r}")
    for one in (
        diagnostics(document, True)[text.uri] if document.is_current else ()
    ):  # they are sent then only
        written = text.map.slice(from_range(text.map, CODEC, one.range))
        if one.code == "view-numel-mismatch" and not re.match(r"v\d+\.view\(", written):
            found.append(f"{one.code} at {written!r}")
    return found


def steady(text: Text, lines: set[str]) -> set[str]:
    """Of these lines, those behind whose name stands a hint."""
    number_of = {line: number for number, line in enumerate(text.source.split("\n"), start=1)}
    with_hint = {fact.span.line for fact, _ in hinted(text)}
    return {line for line in lines if number_of.get(line) in with_hint}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_nothing_stands_at_a_shifted_place(seed):
    session.prepare()
    said: Said = defaultdict(set)
    text = Text("file:///model.py", source="", language_id="python", position_codec=CODEC)
    document = Document(text.uri, "model.py", lambda: (text,))
    typist = Typist(text, seed)
    typist.replace(0, 0, HEAD + "\n".join(typist.line() for _ in range(25)) + "\n")
    document.change()
    first = document.now()
    document.learn(analysed(first, said), first)
    pending: tuple[int, Snapshot, Known] | None = None
    shown = lost = learned = 0
    for number in range(EDITS):
        before = set(text.source.split("\n"))
        alone = {line for line in before if re.fullmatch(r"v\d+ = torch\.zeros\(\d+\)", line)}
        held = steady(text, alone)
        typist.type()
        document.change()
        assert not misplaced(document, text, said), number
        still = held & set(text.source.split("\n"))
        unmoved = {line for line in still if text.source.count(f"{line}\n") == 1}
        lost += len(unmoved - steady(text, unmoved))
        shown += len(hints(text, types.Range(types.Position(0, 0), types.Position(10_000, 0)), Settings()))
        if pending is not None and number >= pending[0]:
            document.learn(pending[2], pending[1])
            pending = None
            learned += 1
            assert not misplaced(document, text, said), number
        if pending is None and typist.random.random() < 0.4:
            snapshot = document.now()
            pending = number + typist.random.randrange(6), snapshot, analysed(snapshot, said)
            if pending[0] == number:
                document.learn(pending[2], pending[1])
                pending = None
                learned += 1
                assert not misplaced(document, text, said), number
    assert shown > EDITS * 10 and learned > EDITS // 10
    assert lost == 0


def test_each_of_many_facts_has_its_hint():
    session.prepare()
    body = "".join(f"x{n} = torch.zeros({n % 9 + 1}, 3).relu()\n" for n in range(1500))
    text = Text("file:///big.py", source=f"import torch\n{body}", language_id="python", position_codec=CODEC)
    document = Document(text.uri, "big.py", lambda: (text,))
    snapshot = document.now()
    document.learn(analysed(snapshot, defaultdict(set)), snapshot)
    assert len(list(hinted(text))) == 1500
    assert text.map.slice(Span(2, 0, 2, 2)) == "x0"
