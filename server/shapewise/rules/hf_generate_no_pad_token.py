"""A tokenizer without a padding token, asked to pad."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after
from ..program.folding import usual
from ..program.values import constant, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.hugging import is_tokenizer, padded
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hf-generate-no-pad-token"
_WITHOUT = (
    "gpt2",
    "distilgpt2",
    "EleutherAI/gpt",
    "EleutherAI/pythia",
    "meta-llama/",
    "huggyllama/",
    "openai-community/gpt2",
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every padding call of a tokenizer that is known to have none, where the file sets none."""
    course = tree.course
    sets = [event for event in course.of_kind("set") if event.name in ("pad_token", "pad_token_id")]
    for event in course.calls("()", ".batch_encode_plus", ".encode_plus"):
        if not is_tokenizer(event.on) or event.value is None or not padded(event.value):
            continue
        made = roots(event.on)[0]
        given = made.argument("pretrained_model_name_or_path", 0)
        name = constant(usual(given))
        if not isinstance(name, str) or not name.startswith(_WITHOUT) or "pad_token" in made.kwargs:
            continue
        if any(same(one.on, event.on) for one in sets) or course.calls(".add_special_tokens"):
            continue
        statement = course.places.statement(made.node) if made.node is not None else None
        fixes = []
        if isinstance(statement, ast.Assign) and statement.value is made.node and len(statement.targets) == 1:
            holder = ast.unparse(statement.targets[0])
            text = f"{holder}.pad_token = {holder}.eos_token"
            fixes = [fix("use the end-of-text token", insert_after(tree.text, statement, text), safe=True)]
        yield found(
            RULE,
            tree,
            event.node,
            f"the tokenizer of {name} has no padding token, and raises when asked to pad.",
            *fixes,
            related=[Related(tree.span(made.node), "loaded here")] if made.node is not None else [],
        )
