import torch

before = torch.zeros(2, 3)
import functools
import torch.nn.functional as F
import typing

CODE = "open('@MARKER@', 'w')"


def attempt(way):
    try:
        way()
    except Exception:
        pass


def run(scope):
    list(map(scope["__builtins__"]["exec"], [CODE]))


def descriptor():
    d = type(attempt).__dict__["__globals__"]
    run(list(map(type(d).__dict__["__get__"], [d], [attempt]))[0])


def forward_reference():
    ref = typing.get_args(typing.List["__import__('os').system('touch @MARKER@')"])[0]
    evaluate = functools.partial(type(ref).__dict__["_evaluate"], recursive_guard=frozenset())
    list(map(evaluate, [ref], [{}], [{}]))


attempt(lambda: run(list(map(object.__getattribute__, [attempt], ["__globals__"]))[0]))
attempt(descriptor)
attempt(forward_reference)
after = before.sum(dim=0)
