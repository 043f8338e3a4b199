"""The JSON of findings and facts, as promised to scripts and other editors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..rules.telling.pages import docs_path
from ..source import Source
from ..vocabulary.facts import Fact, GroupFact, TensorFact, ValueFact
from ..vocabulary.findings import Finding
from ..vocabulary.span import Span
from .checked import Checked, cell_of, each

VERSION = 1


def render(files: Sequence[Checked]) -> str:
    """A list of findings."""
    return json.dumps([finding_json(file.source, finding) for file, finding in each(files)], indent=1) + "\n"


def facts_json(file: Checked) -> dict[str, Any]:
    """One file's facts and findings."""
    return {
        "version": VERSION,
        "file": file.source.path,
        "torch": file.torch,
        "seconds": round(file.seconds, 4),
        "facts": [
            *(fact_json(file.source, fact) for fact in file.facts),
            *(
                {"file": other.file, **fact_json(Source(other.file, ""), fact)}
                for other in file.elsewhere
                for fact in other.facts
            ),
        ],
        "findings": [
            *(finding_json(file.source, finding) for finding in file.findings),
            *(
                finding_json(Source(other.file, ""), finding)
                for other in file.elsewhere
                for finding in other.findings
            ),
        ],
    }


def finding_json(source: Source, finding: Finding) -> dict[str, Any]:
    """One finding; lines from 1, columns from 0 in characters."""
    return {
        "file": source.path,
        **_span_json(source, finding.span),
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "torch_error": finding.torch_error,
        "docs": docs_path(finding.rule),
        "related": [
            {"line": related.span.line, "column": related.span.column, "message": related.message}
            for related in finding.related
        ],
        "fixes": [
            {
                "title": fix.title,
                "safety": fix.safety,
                "edits": [{**_span_json(source, edit.span), "text": edit.text} for edit in fix.edits],
            }
            for fix in finding.fixes
        ],
    }


def fact_json(source: Source, fact: Fact) -> dict[str, Any]:
    """One place and what it is."""
    return {
        "kind": fact.kind,
        "scope": fact.scope,
        "name": fact.name,
        **_span_json(source, fact.span),
        **_value_json(fact.value, fact.variants),
        "why": fact.why,
        "variants": [_value_json(variant) for variant in fact.variants],
    }


def _value_json(value: ValueFact, seen: Sequence[ValueFact] = ()) -> dict[str, Any]:
    """A value; in a container seen in several forms, each item that differed has its own `variants`."""
    if isinstance(value, TensorFact):
        return {
            "type": "tensor",
            "shape": None if value.shape is None else list(value.shape),
            "dtype": value.dtype,
            "device": value.device,
            "stride": None if value.stride is None else list(value.stride),
            "contiguous": value.contiguous,
            "requires_grad": value.requires_grad,
        }
    groups = [one for one in seen if isinstance(one, GroupFact)]
    if value.keys is not None:
        named = [dict(zip(one.keys or (), one.items)) for one in groups]
        by_key = zip(value.keys, value.items)
        items_by_key = {key: _item_json(item, [one.get(key) for one in named]) for key, item in by_key}
        return {"type": value.type, "items": items_by_key}
    alike = [one for one in groups if len(one.items) == len(value.items)]
    items = [_item_json(item, [one.items[at] for one in alike]) for at, item in enumerate(value.items)]
    return {"type": value.type, "items": items}


def _item_json(item: ValueFact | None, seen: Sequence[ValueFact | None]) -> dict[str, Any] | None:
    if item is None:
        return None
    distinct = [one for one in dict.fromkeys(seen) if one is not None]
    form = _value_json(item, distinct)
    if len(distinct) > 1:
        form["variants"] = [_value_json(one) for one in distinct]
    return form


def _span_json(source: Source, span: Span) -> dict[str, int]:
    form = {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
    cell = cell_of(source, span.line)
    if cell is not None:
        form["cell"], form["cell_line"] = cell
    return form
