#!/usr/bin/env python3
"""Shapes that files state in comments and docstrings: how many are known, and whether each that is broken is found.

    python tests/stated/measure_comments.py [--python PYTHON] FILE...

Each file is traced once. A statement counts as known if the trace has seen a tensor that it is said of. Of those
that are not contradicted, each is broken in up to two ways (its last dim left out; a number in it one more), and the
rule asked again with the same log. Printed are the contradicted ones as they stand, to be read, and the totals.
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
from shapewise.queries.files import files_of, seen_from
from shapewise.queries.stating import Runs
from shapewise.rules import stated_shape_mismatch as rule
from shapewise.rules.tree import Tree
from shapewise.source import Source
from shapewise.stated.places import Places, Statement, statements_of
from shapewise.stated.words import Words
from shapewise.vocabulary.events import Log


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
    left, right = line[: one.span.column], line[one.span.end_column :]
    shorter = re.sub(r"\s*,[^,()\[\]]+([)\]]?)\s*$", r"\1", said)
    if shorter.count(",") >= 1 and shorter != said:
        yield (
            "a dim less",
            "\n".join([*lines[: one.span.line - 1], left + shorter + right, *lines[one.span.line :]]),
        )
    number = re.search(r"(?<![\w.*/+-])[2-9]\d*(?![\w.*/+-])", said)
    if number is not None:
        more = said[: number.start()] + str(int(number.group()) + 1) + said[number.end() :]
        yield (
            "a number more",
            "\n".join([*lines[: one.span.line - 1], left + more + right, *lines[one.span.line :]]),
        )


async def measure(python: str, files: list[Path]) -> None:
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
                if one.kind == "annotation" or one.span.line != one.span.end_line:
                    continue
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
                        print(f"   not found ({how}) {file.name}:{one.span.line}: {line[:120]}")
            print(f"{file.name}: {dict(total)}", file=sys.stderr, flush=True)
    print(", ".join(f"{what} {count}" for what, count in total.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    asyncio.run(measure(options.python, options.files))
