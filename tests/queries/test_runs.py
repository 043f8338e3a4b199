"""The runs of a file's functions, seen from several logs."""

from __future__ import annotations

from shapewise.queries.facts import facts_of
from shapewise.queries.files import happened_in
from shapewise.queries.runs import ran, together
from shapewise.vocabulary.events import Bound, Frame, Log, Modes, Tensor
from shapewise.vocabulary.span import Span


def log(file, *frames, **sizes):
    """A log with a binding `x` in each frame, of the size given for its number."""
    events = []
    for frame in frames:
        size = sizes.get(f"_{frame.id}")
        if size is not None:
            tensor = Tensor(frame.id, (size,), "float32", "cpu", (1,), True, False, True, frame.id, 0, 4)
            line = {"<module>": 1, "Net.forward": 5}.get(frame.scope, 9)
            events.append(Bound(frame.id, Span(line, 0, line, 1), "binding", "x", tensor, Modes()))
    return Log(file, "3.11", "2.13", 0.0, frames, tuple(events))


OWN = log(
    "/net.py",
    Frame(0, "/net.py", "<module>"),
    Frame(1, "/net.py", "helper", 0),
    _0=1,
    _1=2,
)
OTHER = log(
    "/main.py",
    Frame(0, "/main.py", "<module>"),
    Frame(1, "/net.py", "<module>", 0),
    Frame(2, "/net.py", "Net.forward", 0),
    Frame(3, "/net.py", "Net.forward", 0),
    Frame(4, "/net.py", "helper", 3),
    Frame(5, "/lib/net.py", "Net.forward", 0),
    _0=10,
    _1=11,
    _2=12,
    _3=12,
    _4=14,
    _5=15,
)


def shapes(joined):
    return {
        fact.scope: [one.shape for one in fact.variants or (fact.value,)]
        for fact in facts_of(happened_in(joined, joined.file))
    }


def test_functions_that_ran():
    assert ran(OWN, "/net.py") == {"helper"}
    assert ran(OTHER, "/net.py") == {"Net.forward", "helper"}


def test_runs_from_elsewhere_join_those_of_the_file_itself():
    assert shapes(together(OWN, [OTHER])) == {
        "<module>": [(1,)],
        "helper": [(2,), (14,)],
        "Net.forward": [(12,)],
    }


def test_several_files():
    assert shapes(together(OWN, [OTHER, OTHER]))["helper"] == [(2,), (14,)]
    assert shapes(together(OWN, [])) == {"<module>": [(1,)], "helper": [(2,)]}


def test_what_really_ran_somewhere_is_not_shown_on_inputs_that_were_made_up():
    own = log(
        "/net.py",
        Frame(0, "/net.py", "<module>"),
        Frame(1, "/net.py", "Net.forward", 0, assumed=True),
        Frame(2, "/net.py", "helper", 1),
        Frame(3, "/net.py", "alone", 0, assumed=True),
        _1=70,
        _2=71,
        _3=72,
    )
    assert ran(own, "/net.py") == frozenset()
    assert shapes(together(own, [])) == {"Net.forward": [(70,)], "helper": [(71,)], "alone": [(72,)]}
    joined = shapes(together(own, [OTHER]))
    assert joined == {"Net.forward": [(12,)], "helper": [(14,)], "alone": [(72,)]}
    guess = log(
        "/main.py", Frame(0, "/main.py", "<module>"), Frame(1, "/net.py", "helper", 0, assumed=True), _1=9
    )
    assert shapes(together(OWN, [guess]))["helper"] == [(2,)]
