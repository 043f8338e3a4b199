"""Every page of a rule is true: torch says what the page says, and so does shapewise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.edits.apply import apply
from shapewise.fixes.verify import holds
from shapewise.rules.telling.pages import Example, PageError, RulePage, pages, parse
from shapewise.source import Source
from shapewise.suppression import UNUSED, suppress
from shapewise.vocabulary.findings import Edit, Finding

from .apart import Apart

PAGES = list(pages().values())
NEIGHBOURS = {"transformers", "torchvision", "timm", "accelerate", "lightning", "pytorch_lightning", "einops"}
"""Packages that examples may use and that need not be there."""
BY_RAISING = frozenset(
    "broadcast-incompatible torch-raises view-on-noncontiguous matmul-inner-mismatch bmm-requires-3d layer-input-mismatch "
    "cat-stack-mismatch view-numel-mismatch einsum-mismatch multinomial-oversample ce-target-extra-dim ce-target-dtype "
    "ce-sequence-layout gather-scatter-index-shape index-dtype matmul-dtype-mismatch int-tensor-needs-float bce-target-int "
    "mha-embed-not-divisible mha-is-causal-without-mask index-out-of-range-known".split()
)
"""Rules of which every bad block raises in torch."""


def blocks(kind: str, wanted: Callable[[RulePage, Example], object] = lambda page, one: True) -> list[object]:
    """The blocks of a kind that are wanted, with a name that says where each stands."""
    found = []
    for page in PAGES:
        numbered = enumerate((one for one in page.examples if one.kind == kind), start=1)
        found += [
            pytest.param(page, one, id=f"{page.name}-{kind}-{number}")
            for number, one in numbered
            if wanted(page, one)
        ]
    return found


def runs(page: RulePage, example: Example) -> bool:
    """Whether torch can run a block: as it stands if it is good, as it is fixed if it is bad."""
    code = example.code if example.kind == "good" else example.fixed
    return code is not None and not (page.name == UNUSED and "view(6, 4)" in code)


on_one_loop = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    runner = Apart()
    yield runner
    runner.close()


def that_count(page: RulePage, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The page's own, and of the others what is no mere hint: realistic code may have those."""
    others = {other.name for other in PAGES if other.default and other.severity != "hint"}
    return tuple(
        one for one in findings if one.rule == page.name or (one.rule in others and one.severity != "hint")
    )


async def findings_in(page: RulePage, code: str, tracer: Tracer) -> tuple[Finding, ...]:
    analysis = await analyse(Source("page.py", code), tracer)
    return that_count(page, suppress(analysis.findings, code))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_enough_examples(page: RulePage) -> None:
    for kind in ("bad", "good"):
        as_written = [one for one in page.examples if one.kind == kind and lines_of_code(one) >= 4]
        assert len(as_written) >= 3, f"{kind} examples of four lines of code or more"
    assert page.summary


def lines_of_code(example: Example) -> int:
    """How many lines of an example do something: no comments, no imports."""
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and not line.startswith(("import ", "from "))
        for line in example.code.splitlines()
    )


@pytest.mark.parametrize(("page", "example"), blocks("bad", lambda page, _: page.name in BY_RAISING))
def test_torch_agrees_that_it_is_bad(page: RulePage, example: Example, apart: Apart, tmp_path: Path) -> None:
    outcome = apart.run(example.code, str(tmp_path))
    assert outcome.raised
    # Of a call over several lines Python names the one with the method, we the one it begins on.
    assert example.marks[0][0] in outcome.lines


@pytest.mark.parametrize(("page", "example"), [*blocks("good", runs), *blocks("bad", runs)])
def test_torch_runs_what_is_good_or_fixed(
    page: RulePage, example: Example, apart: Apart, tmp_path: Path
) -> None:
    code = example.code if example.kind == "good" else example.fixed or ""
    outcome = apart.run(code, str(tmp_path))
    if "ModuleNotFoundError" in outcome.raised:
        assert any(f"'{name}'" in outcome.words for name in NEIGHBOURS)
    elif outcome.raised:  # a torch built without CUDA says it in other words than one with it
        no_card = page.category == "device" and {"AssertionError", "RuntimeError"} & set(outcome.raised)
        assert no_card and re.search("CUDA enabled|NVIDIA driver", outcome.words), outcome.story


@on_one_loop
@pytest.mark.parametrize(("page", "example"), blocks("good"))
async def test_good_is_silent(page: RulePage, example: Example, tracer: Tracer) -> None:
    assert await findings_in(page, example.code, tracer) == ()


@on_one_loop
@pytest.mark.parametrize(("page", "example"), blocks("bad"))
async def test_bad_is_flagged_where_it_is_marked_and_fixed_as_the_page_says(
    page: RulePage, example: Example, tracer: Tracer
) -> None:
    source = Source("page.py", example.code)
    analysis = await analyse(source, tracer)
    findings = that_count(page, suppress(analysis.findings, example.code))
    assert [(finding.span.line, finding.rule) for finding in findings] == list(example.marks)
    if example.fixed is None:
        return
    edits: list[Edit] = []
    for finding in findings:
        assert finding.fixes, "no fix"
        fix = finding.fixes[0]
        assert fix.safety == page.fix or page.fix != "safe"
        assert await holds(source, finding, fix, tracer, analysis)
        edits += [edit for edit in fix.edits if edit not in edits]
    assert apply(example.code, edits) == example.fixed
    assert await findings_in(page, example.fixed, tracer) == ()


def test_a_page_is_read() -> None:
    page = parse(
        "a-rule",
        "---\nseverity: error\ncategory: c\ndefault: off\nfix: safe\nseeds: [001, 003]\n---\n# a-rule\n\nWhy\nnot.\n\n"
        "## Bad\n```python\nx\ny  # <- a-rule\n```\n\n## Fixed\n```python\nz\n```\n\n## Good\n```python\nw\n```\n",
    )
    assert (page.severity, page.default, page.fix, page.seeds) == ("error", False, "safe", ("001", "003"))
    assert page.summary == "Why not."
    assert page.examples == (Example("bad", "x\ny\n", ((2, "a-rule"),), "z\n"), Example("good", "w\n"))


@pytest.mark.parametrize(
    "text",
    [
        "# a-rule\n",
        "---\nseverity: error\n---\n# a-rule\n",
        "---\nseverity: worse\ncategory: c\ndefault: on\nfix: safe\nseeds: []\n---\n# a-rule\n",
        "---\nseverity: error\ncategory: c\ndefault: on\nfix: safe\nseeds: []\n---\n# another\n",
        "---\nseverity: error\ncategory: c\ndefault: on\nfix: safe\nseeds: []\n---\n# a-rule\n## Bad\n```python\nx\n```\n",
    ],
)
def test_a_page_that_breaks_its_rules_is_refused(text: str) -> None:
    with pytest.raises(PageError, match="a-rule"):
        parse("a-rule", text).examples  # noqa: B018
