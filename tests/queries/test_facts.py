"""What the facts of a place say of several runs."""

from __future__ import annotations

import dataclasses

from shapewise.queries.facts import facts_of
from shapewise.queries.values import join_facts
from shapewise.vocabulary.events import Bound, Frame, Group, Log, Modes, Tensor, Unknown, Value
from shapewise.vocabulary.facts import TensorFact
from shapewise.vocabulary.span import Span

FLOATS = Tensor(1, (2, 3), "float32", "cpu", (3, 1), True, False, True, 1, 0, 4)
LONGS = dataclasses.replace(FLOATS, shape=(5,), stride=(1,), dtype="int64")


def fact_of(*runs: Value):
    span = Span(1, 0, 1, 1)
    events = tuple(Bound(0, span, "return", "<return>", value, Modes()) for value in runs)
    log = {field.name: None for field in dataclasses.fields(Log)}
    log |= {"events": events, "frames": (Frame(0, "a.py", "f"),)}
    return next(iter(facts_of(Log(**log))))


def test_runs_that_differ_are_variants():
    fact = fact_of(FLOATS, LONGS)
    assert fact.value.shape is None and [variant.shape for variant in fact.variants] == [(2, 3), (5,)]


def test_a_lost_run_says_that_the_others_are_not_all():
    fact = fact_of(FLOATS, Unknown("depends on the data"))
    assert fact.value == TensorFact() and fact.why == "depends on the data"
    assert fact.variants == (TensorFact((2, 3)), TensorFact()), "only what some of the runs had for a shape"


def test_an_item_that_one_run_lost_is_lost():
    known = Group("tuple", (FLOATS, LONGS))
    fact = fact_of(known, Group("tuple", (Unknown("depends on the data"), LONGS)))
    assert [item.shape for item in fact.value.items] == [None, (5,)]
    assert [variant.items[0] for variant in fact.variants] == [TensorFact((2, 3)), TensorFact()]


def test_what_one_run_does_not_say_no_variant_says():
    fact = fact_of(FLOATS, dataclasses.replace(FLOATS, shape=(7, 3), requires_grad=None, stride=None))
    assert [variant.requires_grad for variant in fact.variants] == [None, None]
    assert [variant.stride for variant in fact.variants] == [None, None]
    assert [variant.shape for variant in fact.variants] == [(2, 3), (7, 3)]


def test_what_an_abandoned_run_would_have_come_by_is_not_all():
    """The first run of `f` was abandoned in line 2: neither the rest of it nor `g` saw it."""
    frames = (
        Frame(0, "a.py", "<module>"),
        Frame(1, "a.py", "f", parent=0, abandoned=True),
        Frame(2, "a.py", "f", parent=0),
        Frame(3, "a.py", "g", parent=2),
    )
    runs = [
        (1, 1, FLOATS),
        (1, 2, FLOATS),
        (2, 1, FLOATS),
        (2, 2, FLOATS),
        (3, 8, LONGS),
        (2, 3, LONGS),
        (0, 9, LONGS),
    ]
    events = tuple(
        Bound(frame, Span(line, 0, line, 1), "binding", "x", value, Modes()) for frame, line, value in runs
    )
    log = {field.name: None for field in dataclasses.fields(Log)} | {"events": events, "frames": frames}
    shapes = {fact.span.line: fact.value.shape for fact in facts_of(Log(**log))}
    assert shapes == {1: (2, 3), 2: (2, 3), 3: None, 8: None, 9: (5,)}


def test_any_number_of_dims_in_front_holds_for_what_ends_like_that():
    every = [TensorFact(("*batch", "D")), TensorFact(("B", "D")), TensorFact(("B", "T", "D"))]
    assert join_facts(every).shape == ("*batch", "D")
    assert join_facts([*every, TensorFact(("B", "E"))]).shape == ("*batch", None)
    assert join_facts([*every, TensorFact(())]).shape is None
    assert join_facts([TensorFact(("*batch", "D")), TensorFact(("*batch", "T", "D"))]).shape == (
        "*batch",
        "D",
    )


def test_what_was_tried_with_other_ranks_is_a_variant_of_what_covers_it():
    wide, *others = (dataclasses.replace(FLOATS, shape=shape) for shape in (("*batch", 3), (2, 3), (5, 2, 3)))
    log = {field.name: None for field in dataclasses.fields(Log)}
    log["events"] = (Bound(0, Span(1, 0, 1, 1), "binding", "x", wide, Modes(), tuple(others)),)
    log["frames"] = (Frame(0, "a.py", "f", assumed=True),)
    (fact,) = facts_of(Log(**log))
    assert fact.value.shape == ("*batch", 3)
    assert [variant.shape for variant in fact.variants] == [(2, 3), (5, 2, 3)]


def test_dicts_with_other_keys_show_each_item_as_it_is_wherever_there_is_one():
    one = Group("dict", (FLOATS, LONGS), ("x", "y"))
    other = Group("dict", (dataclasses.replace(FLOATS, shape=(2, 7), stride=(7, 1)), FLOATS), ("x", "z"))
    fact = fact_of(one, other)
    assert fact.value.keys == ("x", "y", "z")
    assert [item.shape for item in fact.value.items] == [(2, None), (5,), (2, 3)]
    lost = Group("dict", (Unknown("depends on the data"),), ("x",))
    assert fact_of(one, lost).value.items[0] == TensorFact()
