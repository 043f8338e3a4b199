"""Only fixes that hold are offered, and those of one rule are tried together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shapewise.analysis import analyse
from shapewise.fixes.verify import verified
from shapewise.host.process import TracerProcess
from shapewise.source import Source
from shapewise.vocabulary.findings import Edit

WIDTHS = range(3, 11)
TEXT = "import torch\nfrom torch import nn\n\n" + "".join(
    f"layer{n} = nn.Linear({n}, 4)\nout{n} = layer{n}(torch.zeros(2, {n + 20}))\n" for n in WIDTHS
)


@pytest.mark.asyncio(loop_scope="session")
async def test_one_trace_tells_of_many_fixes_and_the_one_that_does_not_hold_is_left_out(
    tracer: TracerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = await analyse(Source("/x.py", TEXT), tracer)
    assert len(analysis.findings) == len(WIDTHS)
    assert all(one.fixes for one in analysis.findings)

    traced = tracer.trace
    traces = 0

    async def counted(*args, **options):
        nonlocal traces
        traces += 1
        return await traced(*args, **options)

    monkeypatch.setattr(tracer, "trace", counted)
    firsts = replace(analysis, findings=tuple(replace(one, fixes=one.fixes[:1]) for one in analysis.findings))
    assert (await verified(firsts, tracer)).findings == firsts.findings
    assert traces == 1

    bad = firsts.findings[2]
    nothing = Edit(bad.fixes[0].edits[0].span, "0 + 1")
    worse = replace(bad, fixes=(replace(bad.fixes[0], edits=(nothing,)),))
    findings = [worse if one is bad else one for one in firsts.findings]
    left = (await verified(replace(firsts, findings=tuple(findings)), tracer)).findings
    assert all(
        one.fixes for one in left
    )  # what was found by a search in the place of the one that does not hold
    assert not [one for one in left if worse.fixes[0] in one.fixes]
