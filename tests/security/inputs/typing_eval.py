import torch

before = torch.zeros(2, 3)
import typing, inspect, dataclasses, ast, enum, functools, types
from torch import library
def f(x: "open('@MARKER@', 'w')") -> "__import__('os').system('touch @MARKER@')":
    return x
class A:
    x: "open('@MARKER@', 'w')" = 1
@dataclasses.dataclass
class D:
    x: "__import__('os').system('touch @MARKER@')" = dataclasses.field(default_factory=lambda: open("@MARKER@", "w"))
for run in (
    lambda: typing.get_type_hints(f), lambda: typing.get_type_hints(A), lambda: inspect.signature(f, eval_str=True), lambda: inspect.get_annotations(A, eval_str=True), lambda: typing.ForwardRef("open('@MARKER@', 'w')")._evaluate(globals(), {}, frozenset()),
    lambda: dataclasses.make_dataclass("X", [("a", "open('@MARKER@', 'w')")], namespace={"__post_init__": lambda s: open("@MARKER@", "w")})(1), lambda: D(), lambda: typing.NamedTuple("N", [("a", "open('@MARKER@','w')")]), lambda: typing.get_type_hints(D),
    lambda: types.new_class("Y", (), {}, lambda ns: ns.update(open=open("@MARKER@", "w"))), lambda: types.FunctionType(compile("open('@MARKER@','w')", "", "exec"), globals())(), lambda: enum.Enum("E", {"a": open("@MARKER@", "w")}), lambda: functools.singledispatch(f).register(eval)(open), lambda: functools.reduce(lambda a, b: b("@MARKER@", "w"), [1, open]), lambda: functools.cached_property(lambda s: open("@MARKER@", "w")).__get__(A(), A), lambda: inspect.getsource(f), lambda: ast.literal_eval("open('@MARKER@', 'w')"), lambda: eval(compile(ast.parse("open('@MARKER@','w')", mode="eval"), "", "eval")), lambda: typing.get_type_hints(torch.nn.Module.forward, globals(), {"x": open("@MARKER@", "w")}),
    lambda: torch.jit.annotations.get_signature(f, None, None, False), lambda: torch.jit.script(f), lambda: torch.fx.symbolic_trace(f), lambda: library.custom_op("a::b", f, mutates_args=()), lambda: library.infer_schema(f, mutates_args=()),
):
    try:
        run()
    except Exception:
        pass
after = before.sum(dim=0)
