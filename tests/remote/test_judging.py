"""Facts and findings held against what was seen."""

from __future__ import annotations

from typing import Any

import pytest

from shapewise.remote.facts import Judge, There
from shapewise.remote.findings import judged
from shapewise.vocabulary.facts import Fact, GroupFact, TensorFact
from shapewise.vocabulary.findings import Finding
from shapewise.vocabulary.span import Span

SPAN = Span(3, 4, 3, 5)


def tensor(*shape: int, **changes: Any) -> dict[str, Any]:
    stride = [1] * len(shape)
    for at in range(len(shape) - 2, -1, -1):
        stride[at] = stride[at + 1] * shape[at + 1]
    known = {"dtype": "float32", "device": "cpu", "contiguous": True, "requires_grad": False}
    return {"type": "tensor", "shape": [*shape], "stride": stride, "call": 1, **known, **changes}


def place(*seen: dict[str, Any], others: tuple[str, ...] = (), **changes: Any) -> dict[str, Any]:
    row = {"file": "m.py", "kind": "binding", "scope": "f", "line": 3, "column": 4, "name": "x", "visits": 1}
    return {**row, "seen": [*seen], "others": [*others], **changes}


HERE = There()


def verdict(value: Any, *places: dict[str, Any], there: There = HERE, **changes: Any) -> str:
    fact = Fact("binding", "f", "x", SPAN, value, **changes)
    (found,) = Judge([("m.py", fact)], places, [], there).all()
    return f"{found.verdict}{' beyond' if found.beyond else ''}{f': {found.why}' if found.why else ''}"


@pytest.mark.parametrize(
    "value, seen, expected",
    [
        (TensorFact((2, 3)), tensor(2, 3), "confirmed"),
        (TensorFact((2, None)), tensor(2, 3), "confirmed"),
        (TensorFact((2, 3)), tensor(2, 4), "refuted: its shape was [2, 4]"),
        (TensorFact(("*batch", 3)), tensor(5, 4, 3), "confirmed"),
        (TensorFact(("*batch", 3)), tensor(5, 4), "refuted: its shape was [5, 4]"),
        (TensorFact((2,), "int64"), tensor(2), "refuted: its dtype was float32"),
        (TensorFact((2,), device="cuda:0"), tensor(2), "refuted: it was on cpu"),
        (TensorFact((2,), device="cuda"), tensor(2, device="cuda:0"), "confirmed"),
        (TensorFact((2,), requires_grad=True), tensor(2), "refuted: requires_grad was False"),
        (TensorFact((2, 1), stride=(1, 7)), tensor(2, 1), "confirmed"),
        (TensorFact((2, 3), stride=(1, 2)), tensor(2, 3), "refuted: its stride was [3, 1]"),
    ],
)
def test_one_tensor(value, seen, expected):
    assert verdict(value, place(seen)) == expected


def test_places():
    assert verdict(TensorFact((2,))) == "not_reached"
    assert verdict(TensorFact((2,)), place(tensor(2), line=4)) == "not_reached"
    assert verdict(TensorFact((2,)), place(others=("NoneType",))) == "refuted: it was None"
    assert verdict(TensorFact((2,)), place(tensor(2), others=("NoneType",))) == "confirmed"
    assert verdict(TensorFact((2,)), place(tensor(2), tensor(3))) == "refuted: its shape was [3]"


def test_variants():
    two = (TensorFact((2,)), TensorFact((3,)))
    assert verdict(TensorFact((None,)), place(tensor(2), tensor(3)), variants=two) == "confirmed"
    assert verdict(TensorFact((None,)), place(tensor(4)), variants=two) == "confirmed beyond"
    assert verdict(TensorFact((None,)), place(tensor(4)), variants=two, why="cut") == "confirmed"


def test_groups():
    said = GroupFact("tuple", (TensorFact((2,)), None))
    assert verdict(said, place({"type": "group", "items": [tensor(2), None], "call": 1})) == "confirmed"
    assert verdict(said, place({"type": "group", "items": [tensor(3), None], "call": 1})).startswith(
        "refuted: item 0"
    )
    assert (
        verdict(said, place({"type": "group", "items": [tensor(2)], "call": 1})) == "refuted: it had 1 items"
    )


def test_a_card_that_the_trace_did_not_know_of():
    seen = place(tensor(2, device="cuda:0"))
    assert verdict(TensorFact((2,), device="cpu"), seen, there=There(cards=True)) == "confirmed"
    assert verdict(TensorFact((2,), device="cpu"), seen).startswith("refuted")


@pytest.mark.parametrize("dim, holds", [("B", True), ("2*B", False), ("B + n", None), ("width//2", True)])
def test_names(dim, holds):
    parameter = Fact("parameter", "f", "a", Span(1, 0, 1, 1), TensorFact(("B",)))
    fact = Fact("binding", "f", "x", SPAN, TensorFact((dim,)))
    places = [
        place(tensor(4), kind="parameter", line=1, column=0, name="a"),
        place(
            {"type": "int", "value": 8, "field": "width", "call": 1}, name="config", kind="parameter", line=2
        ),
        place(tensor(4)),
    ]
    found = Judge([("m.py", parameter), ("m.py", fact)], places, [], There()).all()
    assert found[1].verdict == ("refuted" if holds is False else "confirmed")


def number(name: str, value: int, call: int, scope: str = "f") -> dict[str, Any]:
    return place({"type": "int", "value": value, "call": call}, name=name, scope=scope, line=2)


def test_a_name_of_a_call_that_was_not_looked_at_refutes_nothing():
    fact = TensorFact(("S", 3))
    assert verdict(fact, number("S", 2, call=7), place(tensor(5, 3))) == "confirmed"
    assert verdict(fact, number("S", 2, call=7, scope="g"), place(tensor(5, 3))).startswith("refuted")


def test_a_name_with_many_numbers_elsewhere_refutes_nothing():
    counted = [number("S", value, call=value, scope="g") for value in range(20, 40)]
    assert verdict(TensorFact(("S", 3)), *counted, place(tensor(5, 3))) == "confirmed"


ERROR = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"


@pytest.mark.parametrize(
    "raised, passed, completed, expected",
    [
        (ERROR, 0, False, "confirmed"),
        ("mat1 and mat2 shapes cannot be multiplied here (2x3 and 4x5)", 0, False, "confirmed"),
        ("something else", 0, False, "refuted"),
        (None, 2, True, "refuted"),
        (None, 2, False, "not_reached"),
        (None, 0, True, "not_reached"),
    ],
)
def test_findings(raised, passed, completed, expected):
    finding = Finding("matmul-shape", SPAN, "error", "does not fit", ERROR)
    errors = [{"type": "RuntimeError", "message": raised}] if raised else []
    row = {"file": "m.py", "extent": [3, 4, 3, 5], "passed": passed, "raised": errors}
    assert judged("m.py", finding, [row], completed, False).verdict == expected


def test_findings_that_no_run_can_judge():
    silent = Finding("missing-zero-grad", SPAN, "warning", "gradients add up")
    assert judged("m.py", silent, [], True, False).verdict == "not_judged"
    card = Finding("device-mismatch", SPAN, "error", "On a machine with a card: ...", "Expected all tensors")
    assert judged("m.py", card, [], True, False).verdict == "not_reached"
