"""Comments that are true are silent; each that is broken is found, in functions that are called and in those that are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from shapewise.analysis import Tracer, analyse
from shapewise.source import Source

RULE = "stated-shape-mismatch"
LINES = """
x = torch.randn(2, 5, 24)
h = x @ torch.randn(24, 48)
q, k = h.chunk(2, -1)
q = q.view(2, 5, 4, 6).transpose(1, 2)
pooled = x.mean(1)
total = pooled.sum(0)
grid = pooled[:, None, :, None]
picked = x[:, -1]
torch.cat([x, x], 1)
print(grid.shape)
""".strip().split("\n")

MODULE = """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)  # (B, T, D)
        q = q.view(B, T, self.heads, -1).transpose(1, 2)  # (B, H, T, K)
        k = k.view(B, T, self.heads, -1).transpose(1, 2)  # (B, H, T, K)
        v = v.view(B, T, self.heads, -1).transpose(1, 2)  # (B, H, T, K)
        scores = q @ k.transpose(-2, -1)  # (B, H, T, T)
        out = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D)  # (B, T, D)
        return self.head(out)  # (B, T, 10)
"""
CALL = "\n\nAttention(24, 4)(torch.randn(2, 5, 24))\n"


async def found(text: str, tracer: Tracer) -> list[int]:
    """The lines whose statements are found to be wrong."""
    analysis = await analyse(Source("model.py", text), tracer)
    return [finding.span.line for finding in analysis.findings if finding.rule == RULE]


def truthful() -> list[str]:
    """Each line with the shape that it really gives."""
    names: dict[str, object] = {"torch": torch}
    lines = ["import torch"]
    for line in LINES:
        target, _, value = line.partition(" = ")
        shown = value or target.removeprefix("print(").removesuffix(".shape)")
        exec(line, names)
        result = names[target.split(",")[0]] if value else eval(shown, names)
        shape = tuple(result.shape)  # type: ignore[attr-defined]
        lines.append(f"{line}  # {shape}")
    return lines


def broken(dims: list[str]) -> Iterator[list[str]]:
    """Other shapes, each with one mistake."""
    if dims[0].isdecimal() and len(dims) > 1:
        for at, dim in enumerate(dims):
            yield [*dims[:at], str(int(dim) + 1), *dims[at + 1 :]]
    if len(dims) > 1:
        yield dims[:-1]
        yield [*dims, "7"]
        for at in range(len(dims) - 1):
            if dims[at] != dims[at + 1]:
                yield [*dims[:at], dims[at + 1], dims[at], *dims[at + 2 :]]


def written(dims: list[str]) -> str:
    """As Python writes a tuple."""
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"


def breakages(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Each way to break one comment: its line, and the text."""
    for number, line in enumerate(lines, start=1):
        code, sign, comment = line.partition("  # (")
        if sign:
            for dims in broken([dim.strip() for dim in comment.rstrip("),").split(",")]):
                yield number, "\n".join([*lines[: number - 1], f"{code}  # {written(dims)}", *lines[number:]])


pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_is_true_is_silent(tracer: Tracer) -> None:
    assert await found("\n".join(truthful()), tracer) == []
    assert await found(MODULE, tracer) == []
    assert await found(MODULE + CALL, tracer) == []
    assert await found(MODULE + CALL + CALL.strip(), tracer) == []


async def test_each_number_and_rank_that_is_broken_is_found(tracer: Tracer) -> None:
    every = list(breakages(truthful()))
    assert len(every) > 40
    assert [number for number, text in every if await found(text, tracer) != [number]] == []


@pytest.mark.parametrize(
    "text",
    [MODULE, MODULE + CALL, MODULE + CALL + CALL.strip()],
    ids=["that nobody calls", "that is called", "that is called twice"],
)
async def test_in_a_function_each_shape_that_cannot_be_is_found(text: str, tracer: Tracer) -> None:
    every = list(breakages(text.split("\n")))
    assert len(every) > 20
    missed = [
        broken.split("\n")[number - 1]
        for number, broken in every
        if number not in await found(broken, tracer)
    ]
    assert missed == []
