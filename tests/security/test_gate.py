"""What of the tracer's own the interpreted program may hold: stand-ins, and nothing of its machinery."""

from __future__ import annotations

import importlib.util

import pytest

from shapewise.trace import HOME
from shapewise.trace.gate import admitted
from shapewise.trace.log.recorder import Recorder
from shapewise.trace.refusals import replay
from shapewise.trace.run import Env, Run
from shapewise.trace.sources.modules import Module, Modules
from shapewise.trace.state import Journal
from shapewise.trace.stdlib.arguments import Namespace
from shapewise.trace.unknowns.counted import COUNTED
from shapewise.trace.unknowns.unknown import Unknown


@pytest.mark.parametrize("kind", [Env, Journal, Module, Modules, Recorder, Run])
def test_an_object_of_the_tracer_is_not_given_out(kind):
    machinery = object.__new__(kind)
    assert not admitted.may_hold(machinery)
    assert type(admitted.admit(machinery)) is Unknown


@pytest.mark.parametrize("given", [Namespace(), COUNTED[zip](iter(()), 0)])
def test_a_stand_in_is_given_out(given):
    assert admitted.admit(given) is given


@pytest.mark.parametrize("home", admitted._GIVEN)
def test_stand_ins_are_made_where_they_are_looked_for(home):
    assert importlib.util.find_spec(home) is not None


def test_the_tracer_is_called_what_its_modules_say():
    assert all(kind.__module__.startswith(HOME) for kind in (Journal, Recorder, Namespace))


def test_real_torch_is_not_asked_about_a_stand_in():
    with pytest.raises(NotImplementedError):
        replay._StandIns().of((1, [Namespace()]))
