"""A line that does not parse costs what it would have bound, and nothing else."""

import pytest

HEAD = "import torch\nfrom torch import nn\nt = torch.zeros(2, 3)\n"


def test_an_open_bracket_on_the_last_line_keeps_the_rest(trace):
    traced = trace(HEAD + "x = t.view(3, 2)\ny = torch.cat([x, ")
    assert traced.shape("x") == (3, 2)
    assert not traced.knows("y")


@pytest.mark.parametrize(
    "text",
    [
        "y = t\ny = y.view(3,\nz = y\n",
        "y = t\na = 1\n    y = y.view(6)\nz = y\n",
        "y = t\ny = y\n    .view(6)\nz = y\n",
        "y = t\nif y.sum( >:\n    y = torch.zeros(4)\nz = y\n",
        "def f(x):\n    return x\ndef f(x, y:\n    return x[0]\nz = f(t)\n",
        "class A:\n    def __init__(self):\n        self.w = t\n        self.w = torch.zeros(\n    def get(self):\n        return self.w\nz = A().get()\n",
        "y = t\nfor i in range(3):\n    y = y[0\n    u = t\nz = y\n",
    ],
)
def test_what_a_broken_line_would_bind_is_not_stale(trace, text):
    traced = trace(HEAD + text)
    assert not traced.knows("z") or traced.shape("z") is None


def test_an_undefined_name_costs_its_own_line(trace):
    traced = trace(HEAD + "y = undefined(t)\nz = t + 1\n")
    assert traced.shape("z") == (2, 3)


def test_after_an_error_the_trace_goes_on(trace):
    traced = trace(HEAD + "y = t @ t\nz = t + 1\n")
    assert traced.failures() == [(4, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)")]
    assert traced.shape("z") == (2, 3)


def test_a_failing_view_goes_on_as_what_it_would_have_meant(trace):
    traced = trace(HEAD + "y = t.T.view(6)\nz = y + 1\n")
    assert len(traced.failures()) == 1
    assert traced.shape("z") == (6,)


def test_an_error_that_the_file_catches_is_no_failure(trace):
    traced = trace(HEAD + "try:\n    y = t.T.view(6)\nexcept RuntimeError:\n    y = t.T.reshape(6)\nz = y\n")
    assert traced.failures() == []
    assert traced.shape("z") == (6,)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, y=):\n    return x + y\nz = f(t, 1)\n",
        "def f(x, y: ):\n    return x + y\nz = f(t, y=1)\n",
        "def f(x) -> \n    return x\nz = f(t)\n",
        "def f(x)\n    return x\nz = f(t)\n",
        "sizes = dict(\n    a=2,\n    b=\n    c=3,\n)\nz = torch.zeros(sizes['a'], sizes['c'])\n",
        "for i in range(1)\n    z = torch.zeros(2, i + 3)\n",
    ],
)
def test_all_else_of_a_half_typed_header_or_call_is_known(trace, text):
    assert trace(HEAD + text).shape("z") == (2, 3)


def test_a_leaf_may_be_written_where_the_context_is_not_known(trace):
    text = "w = nn.Parameter(t)\nwith torch.no_\n    w -= 1\n    w.mul_(2)\nz = w\n"
    for context in ("torch.no_", "unknown():"):
        traced = trace(HEAD + text.replace("torch.no_", context))
        assert traced.failures() == []
        assert traced.shape("z") == (2, 3)


@pytest.mark.parametrize("half", ["def", "def forw"])
def test_a_half_typed_method_may_be_the_one_that_is_called(trace, half):
    traced = trace(f"{HEAD}class A(nn.Module):\n    {half}\n        return x\ny = A()(t)\nz = t + 1\n")
    assert traced.failures() == []
    assert traced.shape("z") == (2, 3)


LAYERS = """
net = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    {row}
    nn.Conv2d(8, 4, 3, padding=1),
)
y = net(torch.zeros(2, 3, 16, 16))
z = y.flatten(1) @ torch.zeros(1024, 5)
"""


@pytest.mark.parametrize("row", ["nn.", "nn", "nn.ReLU", "nn.ReLU()", "nn.Dropout(", "nn.Dropout(p=", "'"])
def test_a_layer_that_is_being_written_costs_no_other(trace, row):
    traced = trace(HEAD + LAYERS.format(row=row))
    assert traced.shape("y") == (2, 4, 16, 16)
    assert traced.shape("z") == (2, 5)


def test_nobody_knows_what_comes_out_of_the_last_layer_or_where_the_next_one_refuses(trace):
    last = "nn.Linear(3, 4),\n    nn.Linear(4, \n"
    refused = "nn.Linear(3, 4),\n    nn.Linear(4, \n    nn.Linear(5, 6),\n"
    for layers in (last, refused):
        traced = trace(HEAD + f"net = nn.Sequential(\n    {layers})\nz = net(t)\n")
        assert not traced.failures()
        assert not traced.knows("z") or traced.shape("z") is None


def test_what_may_come_of_a_layer_that_is_being_written_is_no_failure(trace):
    text = LAYERS.format(row="nn.MaxPool2d(2") + "z = y.flatten(1) @ torch.zeros(256, 5)\n"
    assert not trace(HEAD + text).failures()


@pytest.mark.parametrize("kind", ["nn.ModuleDict({{{0}}})", "nn.ModuleDict(dict({1}))"])
def test_layers_by_their_names_stay_beside_one_that_is_being_written(trace, kind):
    rows = (
        '\n "a": nn.Linear(3, 4),\n "b": nn.\n "c": nn.Linear(4, 5),\n',
        "\n a=nn.Linear(3, 4),\n b=nn.\n c=nn.Linear(4, 5),\n",
    )
    traced = trace(HEAD + f"m = {kind.format(*rows)}\nz = m['c'](m['a'](t))\nb = m['b'](t)\n")
    assert traced.shape("z") == (2, 5)
    assert not traced.knows("b") or traced.shape("b") is None


def test_layers_in_a_list_keep_their_places(trace):
    text = "m = nn.ModuleList([\n    nn.Linear(3, 4),\n    nn.\n    nn.Linear(4, 5),\n])\nz = m[2](m[0](t))\nb = m[1](t)\n"
    traced = trace(HEAD + text)
    assert traced.shape("z") == (2, 5)
    assert not traced.knows("b") or traced.shape("b") is None


@pytest.mark.parametrize(
    "layers",
    [
        "nn.ModuleDict({'a': nn.Linear(3, 4), 'b': Text})",
        "nn.ModuleDict(dict(a=nn.Linear(3, 4), b=nn.Lin))",
        "nn.ModuleDict([('a', nn.Linear(3, 4)), ('b', elsewhere.Text(3))])",
    ],
)
def test_layers_by_their_names_stay_beside_one_that_is_not_known(trace, layers):
    traced = trace(
        HEAD
        + f"""
import elsewhere
m = {layers}
z = m['a'](t)
b = m['b'](t)
c = nn.Sequential(nn.Linear(3, 3), *m.values())(t)
w = m['b'].weight
e = torch.zeros(len([n for n in m.values() if isinstance(n, nn.Linear)]))
"""
    )
    assert traced.shape("e") == (None,)
    assert traced.shape("z") == (2, 4)
    assert all(not traced.knows(name) or traced.shape(name) is None for name in "bcw")
    assert len(traced.failures()) < 2  # the name that is not there


def test_layers_under_names_that_are_not_known(trace):
    text = """
import elsewhere
m = nn.ModuleDict([(elsewhere.name, nn.Linear(3, 4)), ('b', nn.Linear(3, 5))])
k = nn.ModuleList([nn.Linear(3, 4), nn.Linear(3, 5) if elsewhere.flag else None])
z = k[0](t)
"""
    assert not trace(HEAD + text).failures()


def test_an_object_of_a_class_of_which_not_all_is_known_does_not_end_the_trace(trace):
    text = "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.x = undefined(t)\na = A()\n"
    traced = trace(HEAD + text + "def f(x):\n    y = torch.zeros(4, 3)\n    return y\n")
    assert not traced.log.notes
    assert traced.shape("y") == (4, 3)


UNCALLED = """
import torch.nn.functional as F
class A(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv1 = nn.Linear(dim, dim)
    def forward(self, x):
        y = self.conv1(x)
        {line}
        z = y * 2
        return z
"""


@pytest.mark.parametrize(
    "line",
    [
        "a = F.rel",
        "a = F.pad()",
        "a = self.con",
        "a = self.drop(y)",
        "a = self.conv1()",
        "a = norm(y)",
        "nn.Lin(3)",
    ],
)
def test_what_is_not_there_yet_costs_its_line_where_nothing_calls_the_class_too(trace, line):
    traced = trace(HEAD + UNCALLED.format(line=line))
    assert traced.shape("z") == traced.shape("y") == ("*batch", "dim")


def test_what_an_option_decides_is_still_searched_for(trace):
    text = """
class B(nn.Module):
    def __init__(self, dim, deep=False):
        super().__init__()
        if deep:
            self.first = nn.Linear(dim, 7)
        self.last = nn.Linear(7, 5)
    def forward(self, x):
        y = self.first(x)
        z = self.last(y)
        return z
"""
    traced = trace(HEAD + text)
    assert not traced.knows("y") or traced.shape("y") == ("*batch", 7)


UNCALLED_LAYERS = """
class C(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, dim, 3, padding=1),
            {row}
            nn.Conv2d(dim, 8, 1),
        )
        self.out = nn.Conv2d({given}, 5, 1)
    def forward(self, x):
        y = self.net(x)
        z = self.out(y)
        return z
"""


@pytest.mark.parametrize("row", ["nn.", "nn.ReLU(", "nn.Dropout(p="])
def test_a_layer_that_is_being_written_costs_no_other_where_nothing_calls_the_class(trace, row):
    traced = trace(HEAD + UNCALLED_LAYERS.format(row=row, given=8))
    assert traced.shape("y") == ("B", 8, "H", "W")
    assert traced.shape("z") == ("B", 5, "H", "W")


def test_what_torch_refuses_below_such_a_layer_is_not_told_where_nothing_calls_the_class(trace):
    assert not trace(HEAD + UNCALLED_LAYERS.format(row="nn.", given=9)).failures()
    assert trace(HEAD + UNCALLED_LAYERS.format(row="nn.ReLU(),", given=9)).failures()


@pytest.mark.parametrize("decorator", ["torch.no_gra", "torch", "torc", "no_grad(", "torch.", "staticmethod"])
def test_a_decorator_that_is_being_typed_costs_nothing_below_it(trace, decorator):
    traced = trace(
        HEAD
        + f"@{decorator}\ndef f(x):\n    return x[0]\nclass A(nn.Module):\n    @{decorator}\n    def of(x):\n        return x\nz = f(t)\n"
    )
    assert traced.shape("z") == (3,)


@pytest.mark.parametrize("word", ["return t", "return", "break", "continue"])
def test_a_word_that_leaves_nothing_is_passed_over(trace, word):
    assert trace(HEAD + f"{word}\nz = t[0]\nif z.sum() > 0:\n    {word}\ny = z\n").shape("y") == (3,)


def test_a_loop_at_the_top_is_left_all_the_same(trace):
    assert not trace(HEAD + "while True:\n    z = t[0]\n    break\n    y = z\n").knows("y")
