#!/usr/bin/env python3
"""Shapes that files state in comments and docstrings: how many are known, and whether each that is broken is found.

    python tests/stated/measure_comments.py [--python PYTHON] [--written N] FILE...

Each file is traced once. A statement counts as known if the trace has seen a tensor that it is said of. Of those
that are not contradicted, each is broken in several ways (a dim left out or put in, a number one more, two dims
the other way round), and the rule asked again with the same log. Printed are the contradicted ones as they stand, to
be read, and the totals. `--written`: beside these, up to so many comments a file are written where it has none, with
the shape that is known there; each has to stand unchallenged, and is broken like the others.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from shapewise.analysis import analyse
from shapewise.host.errors import TracerError
from shapewise.host.process import TracerProcess
from shapewise.queries.facts import facts_of
from shapewise.queries.files import files_of, seen_from
from shapewise.queries.stating import Runs
from shapewise.rules import stated_shape_mismatch as rule
from shapewise.rules.asking.tree import Tree
from shapewise.source import Source
from shapewise.stated.places import Places, Statement, statements_of
from shapewise.stated.words import Words
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import TensorFact


def judged(log: Log, tree: Tree) -> tuple[list[Statement], set[int]]:
    """All statements, and by id those of which anything is known."""
    statements = statements_of(tree.text, tree.course.tree)
    words = Words(Places(tree.text), tree.course.tree)
    known: set[int] = set()
    for tried, made_up in ((log, False), (tree.tried, True)):
        if tried is not None:
            runs = Runs(
                tried, (lambda span: set()) if made_up else (lambda span: rule.literals(tree, span)), made_up
            )
            known |= {
                id(one) for one in statements if id(one) in rule._Judged(statements, words, runs).judged
            }
    return statements, known


def broken(text: str, one: Statement) -> Iterator[tuple[str, str]]:
    """The text with this statement broken, and how."""
    lines = text.split("\n")
    line = lines[one.span.line - 1]
    said = line[one.span.column : one.span.end_column]
    for how, changed in ways_to_break(said):
        new = line[: one.span.column] + changed + line[one.span.end_column :]
        yield how, "\n".join([*lines[: one.span.line - 1], new, *lines[one.span.line :]])


def ways_to_break(said: str) -> Iterator[tuple[str, str]]:
    """A shape as it is written, `B, T, 64`, made wrong in different ways."""
    outer = re.fullmatch(r"(\s*[(\[]?)(.*?)([)\]]?\s*)", said)
    assert outer is not None
    before, inner, after = outer.groups()
    dims = [one.strip() for one in inner.split(",")]
    if len(dims) < 2 or any(
        one in ("", "...") or one.startswith("*") or set("()[]") & set(one) for one in dims
    ):
        return

    def made(changed: list[str]) -> str:
        return before + ", ".join(changed) + after

    if len(dims) > 2:
        yield "a dim less", made(dims[:-1])
    yield "a dim more", made([*dims, "7"])
    at = next((at for at, one in enumerate(dims) if re.fullmatch(r"[2-9]\d*", one)), None)
    if at is not None:
        yield "a number more", made([*dims[:at], str(int(dims[at]) + 1), *dims[at + 1 :]])
    for at in range(len(dims) - 1):
        if dims[at] != dims[at + 1]:
            yield "two the other way round", made([*dims[:at], dims[at + 1], dims[at], *dims[at + 2 :]])
            break


def written(text: str, log: Log, most: int) -> str:
    """The text with comments that state the shapes known at bindings, at the ends of lines that have none."""
    lines = text.split("\n")
    ends = {
        node.end_lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Assign, ast.AugAssign))
        and not any(isinstance(one, (ast.Tuple, ast.List)) for one in getattr(node, "targets", ()))
    }
    found: dict[int, list[str]] = {}
    for fact in facts_of(log):
        if fact.kind == "binding" and isinstance(fact.value, TensorFact) and not fact.variants:
            shape = fact.value.shape
            if shape is not None and len(shape) > 1 and all(is_plain(dim) for dim in shape):
                found.setdefault(fact.span.line, []).append(", ".join(map(str, shape)))
    places = [at for at, said in found.items() if len(said) == 1 and at in ends and "#" not in lines[at - 1]]
    for at in places[:: max(1, len(places) // most)][:most]:
        lines[at - 1] += f"  # ({found[at][0]})"
    return "\n".join(lines)


def is_plain(dim: object) -> bool:
    """Whether a dim is a number, or one word."""
    return isinstance(dim, int) or (isinstance(dim, str) and dim.isidentifier())


def count_broken(total: Counter[str], real: Log, log: Log, text: str, one: Statement, name: str) -> None:
    """Break a statement in each way, and count which of these are found."""
    for how, changed in broken(text, one):
        try:
            ast.parse(changed)
        except SyntaxError:
            continue
        total[f"broken, {how}"] += 1
        again = rule.check(real, Tree(changed, log))
        if any(found.span.line == one.span.line for found in again):
            total[f"found, {how}"] += 1
        else:
            line = changed.split("\n")[one.span.line - 1].strip()
            print(f"   not found ({how}) {name}:{one.span.line}: {line[:120]}")


def count_written(total: Counter[str], real: Log, log: Log, before: str, text: str, name: str) -> None:
    """Whether comments that were written stand unchallenged, and which are found once they are broken."""
    new = {at for at, (a, b) in enumerate(zip(before.split("\n"), text.split("\n")), 1) if a != b}
    tree = Tree(text, log)
    statements, known = judged(real, tree)
    wrong = {found.span.line for found in rule.check(real, tree)}
    total["written"] += len(new)
    for one in statements:
        if one.span.line in new and id(one) in known:
            total["written, known"] += 1
            if one.span.line in wrong:
                total["written, FALSE ALARM"] += 1
                print(
                    f"   FALSE ALARM {name}:{one.span.line}: {text.split(chr(10))[one.span.line - 1].strip()[:120]}"
                )
            else:
                count_broken(total, real, log, text, one, name)


async def measure(python: str, files: list[Path], most: int) -> None:
    """Trace all files with one tracer, and print what was found."""
    total: Counter[str] = Counter()
    async with TracerProcess(python) as tracer:
        for file in files:
            text = file.read_text()
            try:
                analysis = await analyse(Source(str(file), text), tracer)
            except TracerError as error:
                print(f"{file.name}: {error}")
                continue
            log = analysis.log
            real = seen_from(log, files_of(log)[0])
            tree = Tree(text, log)
            findings = list(rule.check(real, tree))
            statements, known = judged(real, tree)
            for one in statements:
                total["stated"] += 1
                if id(one) not in known:
                    continue
                total["known"] += 1
                line = text.split("\n")[one.span.line - 1].strip()
                if any(found.span.line == one.span.line for found in findings):
                    total["contradicted"] += 1
                    print(f"{file.name}:{one.span.line}: {line[:140]}")
                    continue
                if one.kind != "annotation" and one.span.line == one.span.end_line:
                    count_broken(total, real, log, text, one, file.name)
            if most:
                count_written(total, real, log, text, written(text, real, most), file.name)
            print(f"{file.name}: {dict(total)}", file=sys.stderr, flush=True)
    print(", ".join(f"{what} {count}" for what, count in total.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--written", type=int, default=0, metavar="N", help="comments a file that are written"
    )
    options = parser.parse_args()
    asyncio.run(measure(options.python, options.files, options.written))
