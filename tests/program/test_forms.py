"""A number comes to where it is used in many forms; the walk through the text follows each of them."""

from __future__ import annotations

import textwrap
import time

import pytest

from shapewise.program.course import Course, course_of
from shapewise.program.folding import usual_number
from shapewise.program.training import Training
from shapewise.program.values import number

_BEFORE = """
import argparse
import copy
import os
from collections import namedtuple
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from types import SimpleNamespace
from typing import NamedTuple

import click
import torch

model = torch.nn.Linear(4, 2)
"""

SURE = {
    "a namespace": """
        config = SimpleNamespace(lr=5.0, decay=0.0)
        torch.optim.Adam(model.parameters(), lr=config.lr)
    """,
    "get of a dict": """
        CONFIG = {"lr": 5.0, "epochs": 3}
        torch.optim.Adam(model.parameters(), lr=CONFIG.get("lr", 1e-3))
    """,
    "get of what is not in a dict": """
        CONFIG = {"epochs": 3}
        torch.optim.Adam(model.parameters(), lr=CONFIG.get("lr", 5.0))
    """,
    "dict as a call, copied": """
        base = dict(lr=1e-3, decay=0.0)
        options = dict(base, lr=5.0)
        torch.optim.Adam(model.parameters(), lr=copy.deepcopy(options)["lr"])
    """,
    "two dicts in one": """
        base = {"betas": (0.9, 0.99)}
        torch.optim.Adam(model.parameters(), **(base | {"lr": 5.0}))
    """,
    "a key that is written later": """
        options = {}
        options["lr"] = 5.0
        torch.optim.Adam(model.parameters(), **options) if False else torch.optim.Adam(model.parameters(), lr=options["lr"])
    """,
    "updated where it is made": """
        def build():
            options = {"betas": (0.9, 0.99)}
            options.update(lr=5.0)
            return torch.optim.Adam(model.parameters(), **options)
    """,
    "a member of an enum": """
        class Rate(Enum):
            HIGH = 5.0
        torch.optim.Adam(model.parameters(), lr=Rate.HIGH.value)
    """,
    "getattr by a name that is written": """
        @dataclass
        class Config:
            lr: float = 5.0
        torch.optim.Adam(model.parameters(), lr=getattr(Config(), "lr"))
    """,
    "replaced in a dataclass": """
        @dataclass
        class Config:
            lr: float = 1e-3
        torch.optim.Adam(model.parameters(), lr=replace(Config(), lr=5.0).lr)
    """,
    "a named tuple taken apart": """
        class Rates(NamedTuple):
            first: float
            last: float
        first, last = Rates(1e-3, 5.0)
        torch.optim.Adam(model.parameters(), lr=last)
    """,
    "a namedtuple": """
        Rates = namedtuple("Rates", "first last")
        torch.optim.Adam(model.parameters(), lr=Rates(1e-3, last=5.0).last)
    """,
    "a text turned into a number": """
        torch.optim.Adam(model.parameters(), lr=float("5"))
    """,
    "a class found by name": """
        getattr(torch.optim, "Adam")(model.parameters(), lr=5.0)
    """,
    "one class of several": """
        def build(name):
            return {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[name](model.parameters(), lr=5.0)
    """,
}

USUAL = {
    "an option": """
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float, default=5.0)
        torch.optim.Adam(model.parameters(), lr=parser.parse_args().lr)
    """,
    "an option of a group, by another name": """
        parser = argparse.ArgumentParser()
        parser.add_argument_group("optimizer").add_argument("-l", "--learning-rate", dest="lr", default=5.0)
        args, _ = parser.parse_known_args()
        torch.optim.Adam(model.parameters(), lr=args.lr)
    """,
    "set_defaults, read as a dict": """
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float)
        parser.set_defaults(lr=5.0)
        torch.optim.Adam(model.parameters(), lr=vars(parser.parse_args())["lr"])
    """,
    "the environment": """
        torch.optim.Adam(model.parameters(), lr=float(os.environ.get("LR", "5.0")))
    """,
    "a parameter": """
        def build(lr=2.5):
            return torch.optim.Adam(model.parameters(), lr=2 * lr)
    """,
    "a field of a config that is given": """
        @dataclass
        class Optim:
            lr: float = 5.0
        @dataclass
        class Config:
            optim: Optim = field(default_factory=Optim)
        def build(config: Config):
            return torch.optim.Adam(model.parameters(), lr=config.optim.lr)
    """,
    "click": """
        @click.command()
        @click.option("--lr", default=5.0)
        def main(lr):
            torch.optim.Adam(model.parameters(), lr=lr)
        main()
    """,
}

STEPS = {
    "map": "list(map(step, loader))",
    "one of several functions": 'for batch in loader:\n    {"train": step, "test": print}[phase](batch)',
    "a method found by a part of its name": """
class Trainer:
    def run(self, phase):
        for batch in loader:
            getattr(self, f"{phase}_step")(batch)
    def train_step(self, batch):
        step(batch)
Trainer().run("train")
""",
}


def _rate(text: str) -> object:
    course = course_of(_BEFORE + textwrap.dedent(text))
    made = course.calls("torch.optim.Adam")
    return made[-1].argument("lr", 1)


@pytest.mark.parametrize("text", SURE.values(), ids=SURE)
def test_a_number_is_followed(text: str) -> None:
    assert number(_rate(text)) == 5.0  # type: ignore[arg-type]


@pytest.mark.parametrize("text", USUAL.values(), ids=USUAL)
def test_a_number_is_so_unless_somebody_says_otherwise(text: str) -> None:
    rate = _rate(text)
    assert number(rate) is None  # type: ignore[arg-type]
    assert usual_number(rate) == 5.0  # type: ignore[arg-type]


@pytest.mark.parametrize("text", STEPS.values(), ids=STEPS)
def test_a_step_is_in_the_loop_that_leads_to_it(text: str) -> None:
    step = "def step(batch):\n    model(batch).sum().backward()\n"
    training = Training(course_of(f"{_BEFORE}loader, phase = load()\n{step}{text}"))
    assert any(back.event.loops for back in training.backwards)


_MANAGER = """
from contextlib import contextmanager

import torch

@contextmanager
def quiet(optimizer):
    optimizer.zero_grad()
    with torch.no_grad():
        yield optimizer
    optimizer.step()

class Quiet:
    def __init__(self, optimizer):
        self.optimizer = optimizer
    def __enter__(self):
        self.optimizer.zero_grad()
    def __exit__(self, *args):
        self.optimizer.step()

def train(model, optimizer, x):
    with MANAGER(optimizer):
        model(x)
    model(x)
"""


def _order(course: Course) -> list[str]:
    return [
        one.name for one in course.events if one.kind == "call" and one.name in (".zero_grad", "()", ".step")
    ]


@pytest.mark.parametrize("name", ["quiet", "Quiet"])
def test_a_context_manager_of_the_file_is_walked_around_its_block(name: str) -> None:
    assert _order(course_of(_MANAGER.replace("MANAGER", name)))[-4:] == [".zero_grad", "()", ".step", "()"]


def test_a_block_is_within_what_its_context_manager_switches_on() -> None:
    from shapewise.program.modes import no_grad_around

    calls = course_of(_MANAGER.replace("MANAGER", "quiet")).calls("()")
    assert [no_grad_around(call) is not None for call in calls] == [True, False]
    assert {call.function.name for call in calls if call.function} == {"train"}


BOMBS = {
    "a text that doubles": ["a = 'x'", *["a = a + a"] * 45, "torch.optim.Adam(a)"],
    "an unknown text that doubles": [
        "class Steps:\n    def run_step(self):\n        pass",
        "a = input()",
        *["a = a + a"] * 45,
        "getattr(Steps(), a + '_step')()",
    ],
    "a number that Python does not write out": [f"a = str(0x{'f' * 5000})", f"b = float(0x{'f' * 5000})"],
    "a name that may stand anywhere in another": [
        f"class Steps:\n    def {'a' * 2000}(self):\n        pass\n    def {'a' * 60}(self):\n        pass",
        "a = input()",
        'getattr(Steps(), f"{a}" + "' + "a{a}" * 30 + 'b")()',
        'getattr(Steps(), f"' + "{a}a" * 30 + 'b")()',
    ],
}


@pytest.mark.parametrize("lines", BOMBS.values(), ids=BOMBS)
def test_no_text_takes_time_or_memory_that_it_decides(lines):
    began = time.perf_counter()
    assert course_of("\n".join(["import torch", *lines])).events
    assert time.perf_counter() - began < 5
