"""Tokenizers of transformers: how many rows they give, and how long each is where it is padded to a length that stands there.

https://huggingface.co/docs/transformers/main_classes/tokenizer
"""

from __future__ import annotations

import types
from typing import Any

import torch

from ...outside import outside
from ...unknowns import texts
from ...unknowns.grown import grown, is_grown
from ...unknowns.unknown import Lost, Unknown, find_unknown
from ...wall import allowed
from ...worlds import worlds
from . import checkpoints
from .loaded import version

_LENGTH = "how many tokens a text has"
_TOKEN = "the number of a token"
_TYPED = frozenset("bert albert electra deberta-v2 mobilebert".split())
"""Kinds whose tokenizers say of each token which of two texts it is of."""
_AS_WIDE = frozenset("bert distilbert roberta xlm-roberta gpt2 electra bart".split())
"""Kinds that have as many tokens as their embedding has rows."""
_FRAMED = frozenset("bert distilbert roberta xlm-roberta albert electra mpnet deberta-v2 bart".split())
"""Kinds whose tokenizers put a token before and one after each text."""
_SPECIAL = "pad eos bos cls sep unk mask".split()


class BatchEncoding(dict[str, Any]):
    """`transformers.BatchEncoding`: by name, as a dict and as attributes."""

    def __init__(self, held: dict[str, Any], sure: bool = True) -> None:
        super().__init__(held)
        self._sure = sure

    def __missing__(self, key: Any) -> Any:
        if self._sure:
            raise KeyError(key)
        return Unknown("what a tokenizer that is not known gives")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def data(self) -> Any:
        return self

    def to(self, device: Any = None, *args: Any, **options: Any) -> BatchEncoding:
        """Moves what it holds, and gives itself."""
        for name, value in self.items():
            if isinstance(value, torch.Tensor):
                self[name] = value.to(device)
        return self

    def word_ids(self, *args: Any, **options: Any) -> Any:
        """The word that each token is of, or None."""
        return _some(Unknown("the word that a token is of"))

    tokens = word_ids


class Tokenizer(types.SimpleNamespace):
    """A tokenizer of a checkpoint; of one that is not known, what all of them have in common."""

    def __init__(self, checkpoint: checkpoints.Checkpoint | None = None, **options: Any) -> None:
        self._kind = checkpoint.kind if checkpoint is not None else None
        rows = checkpoint.options.get("vocab_size") if checkpoint is not None else None
        self._rows = rows if self._kind in _AS_WIDE else None
        self.padding_side = self.truncation_side = "right"
        self.model_max_length = worlds.number("how long a text of a tokenizer may be")
        self.chat_template = None
        for name in _SPECIAL:
            setattr(self, f"{name}_token", texts.text("a token"))
            setattr(self, f"{name}_token_id", worlds.number(_TOKEN))
        for name, value in options.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, name: Any = None, *args: Any, **options: Any) -> Any:
        """One with what a checkpoint of that name has."""
        given = {
            key: options[key]
            for key in ("padding_side", "truncation_side", "model_max_length")
            if key in options
        }
        return cls(outside(lambda: checkpoints.known(name)), **given)

    @property
    def vocab_size(self) -> Any:
        return self._rows if self._rows is not None else worlds.number("how many tokens a tokenizer has")

    def __len__(self) -> int:
        if self._rows is None:
            raise Lost("how many tokens a tokenizer has")
        return self._rows

    def add_special_tokens(self, *args: Any, **options: Any) -> Any:
        """It has more tokens then."""
        self._rows = None
        return worlds.number("how many tokens were added")

    add_tokens = add_special_tokens

    def __call__(self, text: Any = None, text_pair: Any = None, *args: Any, **options: Any) -> Any:
        """`(rows, length)` int64 each, or lists."""
        if text is None and options.get("text_target") is not None:
            text = options["text_target"]
        unsaid = ("truncation", "padding", "max_length", "return_tensors", "return_overflowing_tokens")
        if args or find_unknown([options.get(name) for name in unsaid]) is not None:
            return Unknown("how a tokenizer is asked")
        if options.get("return_overflowing_tokens"):
            return Unknown("how many parts a long text has")
        rows = _rows(text, bool(options.get("is_split_into_words")))
        wanted = options.get("return_tensors")
        if wanted not in (None, "pt") or (rows is None and wanted is None):
            return Unknown("what a tokenizer gives")
        length, padded = self._length(options)
        names = ["input_ids"]
        names += (
            ["token_type_ids"]
            if self._kind in _TYPED and options.get("return_token_type_ids") is not False
            else []
        )
        names += ["attention_mask"] if options.get("return_attention_mask") is not False else []
        single = rows == 0
        if wanted == "pt":
            if not padded and not single and rows != 1:
                return Unknown("tokens of texts that are not made equally long")
            count = 1 if single else worlds.size() if rows is None or rows == _SOME else rows
            if type(length) is not int:
                worlds.use()
                worlds.take()
                framed = self._kind in _FRAMED and options.get("add_special_tokens") is not False
                length = worlds.several() if framed else worlds.few()
            held = {name: torch.empty((count, length), dtype=torch.int64) for name in names}
        else:
            held = {name: _list(rows, length) for name in names}
        sure = self._kind is not None and "text_target" not in options
        return BatchEncoding(held, sure)

    def _length(self, options: dict[str, Any]) -> tuple[Any, bool]:
        """How long each text is made: a number, or None; and whether all are made as long as one another."""
        padding, most = options.get("padding", False), options.get("max_length")
        most = self.model_max_length if most is None else most
        if padding == "max_length":
            cut = options.get("truncation") not in (None, False, "do_not_truncate")
            return (most if type(most) is int and cut else None), True
        return None, padding in (True, "longest")

    batch_encode_plus = encode_plus = __call__

    def encode(self, text: Any = None, text_pair: Any = None, **options: Any) -> Any:
        """The numbers of a text alone: a list, or `(1, length)`."""
        found = self(text, text_pair, **options)
        return found["input_ids"] if type(found) is BatchEncoding else found

    def apply_chat_template(self, conversation: Any = None, *args: Any, **options: Any) -> Any:
        """A text, or the numbers of one: `(1, length)`, in a dict since transformers 5 unless it is said."""
        if args or find_unknown(
            [options.get(name) for name in ("tokenize", "return_tensors", "return_dict")]
        ):
            return Unknown("how a tokenizer is asked")
        if options.get("tokenize", True) is False:
            return texts.text("what a template writes")
        if type(conversation) is not list or not conversation or type(conversation[0]) is not dict:
            return Unknown("what a template writes")
        asked = {
            key: options[key]
            for key in ("padding", "truncation", "max_length", "return_tensors")
            if key in options
        }
        found = self(texts.text("what a template writes"), return_token_type_ids=False, **asked)
        if options.get("return_dict", version() >= 5) or type(found) is not BatchEncoding:
            return found
        return found["input_ids"]

    def decode(self, token_ids: Any = None, *args: Any, **options: Any) -> Any:
        """A text; since transformers 5 one of each row, if there are rows."""
        if isinstance(token_ids, torch.Tensor) and token_ids.dim() == 2:
            return Unknown("what tokens say")
        return texts.text("what tokens say")

    def batch_decode(self, sequences: Any = None, *args: Any, **options: Any) -> Any:
        """A text of each row."""
        if not isinstance(sequences, (torch.Tensor, list)) or (
            type(sequences) is list and is_grown(sequences)
        ):
            return Unknown("what tokens say")
        return [texts.text("what tokens say") for _ in range(len(sequences))]

    def tokenize(self, text: Any = None, *args: Any, **options: Any) -> Any:
        """The tokens of a text."""
        return _some(texts.text("a token"))

    def convert_tokens_to_ids(self, tokens: Any = None) -> Any:
        """The number of a token, or those of several."""
        if type(tokens) is list:
            return (
                [worlds.number(_TOKEN) for _ in tokens]
                if is_grown(tokens) is None
                else _some(worlds.number(_TOKEN))
            )
        return worlds.number(_TOKEN) if type(tokens) is str else Unknown(_TOKEN)

    def convert_ids_to_tokens(self, ids: Any = None, *args: Any, **options: Any) -> Any:
        """The token of a number, or those of several."""
        return texts.text("a token") if type(ids) is int else _some(texts.text("a token"))

    def get_vocab(self) -> Any:
        """Numbers by tokens."""
        return Unknown("the tokens of a tokenizer")

    def save_pretrained(self, *args: Any, **options: Any) -> None:
        """Not carried out."""

    push_to_hub = save_pretrained


_SOME = -1
"""Rows of which nobody knows how many."""


def _rows(text: Any, words: bool) -> int | None:
    """How many texts there are: 0 for one that is alone, `_SOME`, None where it may be one or several."""
    if type(text) is str or (type(text) is Unknown and text.kind == texts.TEXT):
        return 0
    if not isinstance(text, (list, tuple)):
        return None
    if words and not (len(text) and isinstance(text[0], (list, tuple))):
        return 0
    return _SOME if is_grown(text) is not None else len(text)


def _some(item: Any) -> list[Any]:
    made = [item]
    grown(made, _LENGTH, alike=True)
    return made


def _list(rows: Any, length: Any) -> Any:
    """Numbers as lists: of one text, or of each."""
    if rows == _SOME:
        return Unknown("tokens of nobody knows how many texts")
    made = [
        [worlds.number(_TOKEN) for _ in range(length)]
        if type(length) is int
        else _some(worlds.number(_TOKEN))
        for _ in range(rows or 1)
    ]
    return made if rows else made[0]


_KINDS = "Bert DistilBert Roberta XLMRoberta Albert Electra MPNet GPT2 T5 Bart MBart Llama CLIP Deberta DebertaV2 Marian OpenAIGPT Qwen2".split()
TOKENIZERS: dict[str, Any] = {
    "AutoTokenizer": Tokenizer,
    "PreTrainedTokenizerFast": Tokenizer,
    "BatchEncoding": BatchEncoding,
    **{f"{kind}Tokenizer{fast}": Tokenizer for kind in _KINDS for fast in ("", "Fast")},
}
"""Members of `transformers`."""


def prepare(*kinds: type) -> None:
    """Once a process: list these and their methods, with what is not known, too."""
    for kind in kinds:
        allowed.list_callable(kind, f"transformers.{kind.__name__}")
        allowed.list_methods(kind, (kind.__module__,))
        for name, value in vars(kind).items():
            function = value.__func__ if isinstance(value, classmethod) else value
            if isinstance(function, types.FunctionType) and (name == "__call__" or not name.startswith("_")):
                allowed.list_callable(function, f"transformers.{kind.__name__}.{name}")
                allowed.TAKES_UNKNOWNS.add(id(function))
