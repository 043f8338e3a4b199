"""`shapewise explain [RULE]`."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from ..rule_choice import unknown_rule
from ..rules.telling.pages import by_category, pages


def list_rules() -> int:
    """All rules with the first sentence of their pages, by category; elsewhere than on a terminal a line each."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    for category, rules in by_category():
        table.add_row(f"[bold]{category}[/bold]")
        for page in rules:
            table.add_row(f"  {page.name}", escape(page.why))
    if sys.stdout.isatty():
        Console().print(table)
    else:
        for page in pages().values():
            click.echo(f"{page.name}: {page.why}")
    return 0


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
