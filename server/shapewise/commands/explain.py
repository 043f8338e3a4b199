"""`shapewise explain RULE`."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.markdown import Markdown

from ..rule_choice import unknown_rule
from ..rules.telling.pages import pages


def print_page(rule: str) -> int:
    """Print a rule's page: drawn on a terminal, as Markdown elsewhere."""
    page = pages().get(rule)
    if page is None:
        click.echo(f"shapewise: {unknown_rule(rule)}.", err=True)
        return 2
    if sys.stdout.isatty():
        Console().print(Markdown(page.text))
    else:
        click.echo(page.text, nl=False)
    return 0
