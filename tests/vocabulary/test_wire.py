"""Whatever the tracer writes down arrives as it was."""

from __future__ import annotations

import gc
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapewise.vocabulary import events, facts, findings, wire
from shapewise.vocabulary.span import Span

names = st.text(max_size=8)
numbers = st.integers(min_value=-(2**70), max_value=2**70)
sizes = st.lists(numbers, max_size=4).map(tuple)
maybe = st.none() | names
spans = st.builds(Span, numbers, numbers, numbers, numbers)
tensors = st.builds(
    events.Tensor,
    numbers,
    sizes,
    names,
    names,
    sizes,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    numbers,
    numbers,
    numbers,
)
scalars = st.builds(events.Scalar, st.none() | st.booleans() | numbers | st.floats(allow_nan=False) | names)
leaves = (
    tensors
    | scalars
    | st.builds(events.Unknown, names, st.booleans())
    | st.builds(events.Other, names, names)
)
values = st.recursive(
    leaves,
    lambda inner: st.builds(
        events.Group,
        names,
        st.lists(inner, max_size=3).map(tuple),
        st.none() | st.lists(names, max_size=3).map(tuple),
    ),
    max_leaves=8,
)
modes = st.builds(events.Modes, st.booleans(), st.booleans(), maybe, sizes)
failures = st.builds(events.Failure, names, names, st.booleans(), st.booleans())
ops = st.builds(
    events.Op,
    numbers,
    spans,
    names,
    st.lists(values, max_size=3).map(tuple),
    st.lists(st.tuples(names, values), max_size=2).map(tuple),
    values,
    st.none() | failures,
    modes,
)
bounds = st.builds(events.Bound, numbers, spans, names, names, values, modes)
frames = st.builds(events.Frame, numbers, names, names, st.none() | numbers, st.none() | spans)
logs = st.builds(
    events.Log,
    names,
    names,
    names,
    st.floats(allow_nan=False),
    st.lists(frames, max_size=2).map(tuple),
    st.lists(ops | bounds, max_size=4).map(tuple),
    st.lists(names, max_size=2).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(logs)
def test_a_log_survives_the_way(log: events.Log) -> None:
    assert wire.decode(json.loads(json.dumps(wire.encode(log)))) == log


def test_shared_values_stay_shared() -> None:
    tensor = events.Tensor(1, (2,), "float32", "cpu", (1,), True, False, True, 1, 0, 4)
    group = events.Group("tuple", (tensor, tensor))
    form = wire.encode((group, tensor, group))
    first, second, third = wire.decode(form)
    assert first is third
    assert first.items[0] is first.items[1] is second
    assert json.dumps(form).count("float32") == 1


def test_facts_and_findings_go_the_same_way() -> None:
    span = Span(1, 2, 3, 4)
    tensor = facts.TensorFact((1, "B", None), "float32")
    fact = facts.Fact(
        "binding", "f", "x", span, facts.GroupFact("dict", (tensor, None), ("a", "b")), (tensor,), "why"
    )
    fix = findings.Fix("t", "safe", (findings.Edit(span, "x"),))
    finding = findings.Finding("r", span, "error", "m", None, (findings.Related(span, "here"),), (fix,))
    for value in (fact, finding):
        assert wire.decode(wire.encode(value)) == value


@pytest.mark.parametrize("value", [object(), [1], {"a": 1}, (1, {2})])
def test_what_is_no_vocabulary_has_no_form(value: object) -> None:
    with pytest.raises(TypeError):
        wire.encode(value)


@pytest.mark.parametrize("form", [[99, 1], [-1, 0], [], [1, 2], [0, [-1, 5]]])
def test_nonsense_is_refused(form: object) -> None:
    with pytest.raises(ValueError, match="wire"):
        wire.decode(form)


@given(st.text())
def test_messages_are_framed_in_bytes(text: str) -> None:
    framed = wire.frame_message({"text": text})
    header, _, body = framed.partition(b"\r\n\r\n")
    assert wire.content_length(header) == len(body)
    assert json.loads(body) == {"text": text}


def test_a_header_without_a_length_is_refused() -> None:
    with pytest.raises(ValueError, match="Content-Length"):
        wire.content_length(b"Content-Type: x")


@given(spans)
def test_a_span_touches_its_ends(span: Span) -> None:
    if (span.line, span.column) <= (span.end_line, span.end_column):
        assert span.contains(span.line, span.column)
        assert span.contains(span.end_line, span.end_column)
    assert not span.contains(span.end_line, span.end_column + 1)


def test_nothing_that_was_decoded_is_held():
    value = wire.decode(wire.encode(events.Modes()))
    assert not [one for one in gc.get_referrers(value) if type(one) is list]
