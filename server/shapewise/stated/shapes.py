"""The words for one shape, as people write them: `(B, S, D)`, `[N, 3, H/2, W/2]`, `(B=2, 1, D)`, `B x T x C`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Dim:
    """One dim as it is written.

    `name`: the one word that it is, or is set equal to a number. `number`: its size, if it is said.
    `size`: an expression over names. All None: some size that says nothing.
    """

    text: str
    name: str | None = None
    number: int | None = None
    size: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What is said of one shape.

    `many`: the place among `dims` where any number of dims stands (`...`), None if there is none.
    `start`, `end`: where the dims stand in the text that was read. `between`: what stands between
    two of them. `typed`: it is a type, whose names mean one number each in a call of the function.
    """

    dims: tuple[Dim, ...]
    start: int
    end: int
    between: str = ", "
    many: int | None = None
    typed: bool = False

    def names(self) -> Iterator[str]:
        """The words that are dims of their own."""
        return (dim.name for dim in self.dims if dim.name is not None)

    def fits(self, rank: int) -> bool:
        """Whether a tensor of this rank can be meant."""
        return len(self.dims) == rank if self.many is None else len(self.dims) <= rank

    def written(self, dims: Sequence[str]) -> str:
        """Other dims, written as these are."""
        return self.between.join(dims) + ("," if len(dims) == 1 and "," in self.between else "")

    def against(self, sizes: tuple[object, ...]) -> Iterator[tuple[int, Dim, object]]:
        """Each dim with its place in the tensor and its size; of a rank that fits."""
        behind = len(self.dims) if self.many is None else self.many
        for at, dim in enumerate(self.dims):
            place = at if at < behind else at - len(self.dims) + len(sizes)
            yield place, dim, sizes[place]


_ARROW = re.compile(r"\s*(?:-+>|=+>|→|⇒)\s*")
_CLOSING = {"(": ")", "[": "]"}
_LABEL = re.compile(r"(?:([A-Za-z_][\w.]*)\s*(?:[:=]|\bis\b)|(?:shape|size|dims?))\s*(?=[(\[])")
_ABOUT_IT = frozenset("shape size dim dims out output outputs result returns return output_shape".split())
_NOT_ALONE = re.compile(
    r"[(\[@+*/|<>=x×'^]|\.m?T\b|,\s*[(\[]|,?\s*(?:or|and|if|when|unless|before|after|without|instead|else|in|not|vs|versus|to|strides?)\b",
    re.IGNORECASE,
)
"""What stands behind a shape that is not all that is said."""
_BARE = re.compile(r"[BN]\d?(?:\s*,\s*(?:[A-Z]\w{0,3}|\d+|[A-Z]\w?[*/]\w{1,2}))+")
_TIMES = re.compile(r"(?:[A-Z]\w{0,2}|batch(?:_size)?|bs)(?:\s+[x×]\s+[\w*/+-]+)+")
_LETTERS = re.compile(r"[BN](?: [A-Z0-9]){2,5}")


def in_comment(text: str) -> tuple[str | None, Shape] | None:
    """The shape that a comment begins with (or comes to, behind arrows), and the word that it is about, if it says one.

    `text` begins with `#`. None where it says no shape, or more than one, or something beside it.
    """
    start = len(text) - len(text.lstrip("#! \t"))
    stripped = text.rstrip()
    parts = _split_at_arrows(stripped, start)
    if parts is None:
        return None
    first, last = parts
    label = _LABEL.match(stripped, first)
    about = label[1] if label is not None and (label[1] or "").lower() not in _ABOUT_IT else None
    if label is not None and last == first:
        last = label.end()
    shape = _at(stripped, last)
    return None if shape is None else (about, shape)


def _split_at_arrows(text: str, start: int) -> tuple[int, int] | None:
    """Where the first and the last of a chain of shapes begin."""
    first = last = start
    arrow = _ARROW.match(text, start)
    if arrow is not None:
        first = last = arrow.end()
    while True:
        label = _LABEL.match(text, last)
        end = _end_of(text, label.end() if label else last)
        arrow = None if end is None else _ARROW.match(text, end)
        if arrow is None:
            return None if last > first and _ARROW.search(text, last) else (first, last)
        last = arrow.end()


def _end_of(text: str, start: int) -> int | None:
    """Where the brackets end that begin here."""
    if start >= len(text) or text[start] not in _CLOSING:
        return None
    open_ones: list[str] = []
    for at in range(start, len(text)):
        if text[at] in _CLOSING:
            open_ones.append(_CLOSING[text[at]])
        elif text[at] in ")]":
            if not open_ones or open_ones.pop() != text[at]:
                return None
            if not open_ones:
                return at + 1
    return None


def _at(text: str, start: int) -> Shape | None:
    """The shape that stands here, if it is all that is said."""
    end = _end_of(text, start)
    if end is not None:
        return None if _NOT_ALONE.match(text[end:].lstrip()) else bracketed(text, start, end)
    rest = text[start:]
    if _BARE.fullmatch(rest):
        return _listed(text, start, len(text), ",", ", ")
    if _TIMES.fullmatch(rest):
        return _listed(text, start, len(text), r"\s[x×]\s", " x ")
    if _LETTERS.fullmatch(rest):
        return _listed(text, start, len(text), " ", " ")
    return None


def bracketed(text: str, start: int, end: int) -> Shape | None:
    """The shape between brackets: at least two dims, or one and a comma."""
    inside = text[start + 1 : end - 1]
    first, last = start + 1 + len(inside) - len(inside.lstrip()), end - 1 - len(inside) + len(inside.rstrip())
    if "," in inside:
        closed = inside.rstrip().endswith(",")
        shape = _listed(
            text, first, last - 1 if closed else last, ",", ", " if ", " in inside or closed else ","
        )
        if shape is None or not (closed or len(shape.dims) + (shape.many is not None) > 1):
            return None
        return replace(shape, end=last)
    if re.search(r"\s[x×]\s", inside):
        return _listed(text, first, last, r"\s[x×]\s", " x ")
    return None


def _listed(text: str, start: int, end: int, separator: str, between: str) -> Shape | None:
    return of_words(re.split(separator, text[start:end]), start, end, between)


def of_words(words: list[str], start: int, end: int, between: str, typed: bool = False) -> Shape | None:
    """The shape whose dims are these words; None if one of them is no dim."""
    dims: list[Dim] = []
    many: int | None = None
    for word in map(str.strip, words):
        if _MANY.fullmatch(word):
            if many is not None:
                return None
            many = len(dims)
            continue
        dim = typed_dim(word) if typed else dim_of(word)
        if dim is None:
            return None
        dims.append(dim)
    if not dims or len(dims) > 9 or (many is not None and all(dim.text.isdecimal() for dim in dims)):
        return None
    return Shape(tuple(dims), start, end, between, many, typed)


_MANY = re.compile(r"\.\.\.|…|\*[A-Za-z_]\w*|\*")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_SAID = re.compile(r"([A-Za-z_]\w*)\s*=\s*(\d+)")
_ODD = re.compile(r"[\w*/+\-'~|^{}\\ ]{1,24}")
_PROSE = frozenset(
    "batch size sequence seq length len hidden dim num number of heads head channels embedding embed feature features "
    "classes tokens patches height width time steps vocab input output".split()
)
_NO_DIMS = frozenset(
    "etc None True False optional int float bool str string list tuple dict callable default".split()
)
_STEPS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)


def dim_of(word: str) -> Dim | None:
    """One dim of a comment; None if it is none: a text, a value, a number that no size is."""
    if word in ("_", "?", "-"):
        return Dim(word)
    if word.isdecimal():
        return Dim(word, number=int(word)) if int(word) > 0 and str(int(word)) == word else None
    if _NAME.fullmatch(word):
        return None if word in _NO_DIMS else Dim(word, name=word)
    said = _SAID.fullmatch(word)
    if said is not None:
        return Dim(word, name=said[1], number=int(said[2])) if int(said[2]) > 0 else None
    if " " in word and re.fullmatch(r"[a-z_ ]+", word.lower()):
        return Dim(word, name=word) if set(word.lower().split()) <= _PROSE else None
    size = _expression(word)
    if size is not None:
        return Dim(word, size=size)
    odd = _ODD.fullmatch(word) and word[0].isalnum() and re.search(r"[A-Za-z]", word) and " " not in word
    return Dim(word) if odd else None


def _expression(word: str) -> ast.expr | None:
    """Arithmetic over names and whole numbers."""
    try:
        parsed = ast.parse(word, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return parsed if isinstance(parsed, ast.BinOp) and _is_arithmetic(parsed) else None


def _is_arithmetic(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _STEPS) and _is_arithmetic(node.left) and _is_arithmetic(node.right)
    if isinstance(node, ast.Attribute):
        return _is_arithmetic(node.value)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) is int)


def typed_dim(word: str) -> Dim | None:
    """One dim of a jaxtyping string: `#name` may be 1, `_` and `{...}` say nothing."""
    if word.startswith(("#", "?", "_", "{")):
        return Dim(word)
    label, _, number = word.partition("=")
    if number.isdecimal() and label.isidentifier():
        return Dim(word, number=int(number))
    return dim_of(word)


_BATCH = frozenset("b n bs bsz batch batch_size nbatch bz batchsize num_samples".split())
_WORDS = re.compile(
    r"batch|bsz?|seq|len|time|step|dim|hid|emb|chan|height|width|head|feat|class|vocab|tok|patch|num|size|"
    r"point|node|edge|frame|depth|model|hw|nh|hs|query|key|rank|state|group|sample|expert|window|spatial|latent"
)
_LETTER = re.compile(r"[A-Z][A-Za-z]?(?:_?\d|_\w{1,6})?|HW|THW|[btdnhwcsk]")


def is_common(name: str) -> bool:
    """Whether a word is no letter, or one that is a dim wherever it stands: not `Q, K, V`, `U, S, V`, `R, G, B`."""
    return len(name) > 1 or name.upper() in "BNTSLCDHW"


def is_batch(name: str) -> bool:
    """Whether a word is what people call the number of samples."""
    return name.lower() in _BATCH


def sounds_like_a_dim(name: str) -> bool:
    """Whether a word is one that people give to dims: `B`, `C_in`, `seq_len`; not `x1`, `score`, `mean`."""
    return bool(_LETTER.fullmatch(name) or (_WORDS.search(name.lower()) and not name.startswith("is_")))
