"""The command line: one thin function per command, over `commands`."""

from __future__ import annotations

import asyncio
import math
import os
import sys
from collections.abc import Coroutine
from typing import Any

import click

from . import __version__
from .config import ConfigError
from .report import FORMATS
from .report.checked import printable

CLEAN, FOUND, FAILED = 0, 1, 2
"""Exit codes: nothing found, findings of severity warning or error, something could not be done."""

INTERRUPTED = 130
"""As shells have it for what Ctrl-C ended: 1 would say that something was found."""

_INTERPRETER = click.option(
    "--interpreter",
    metavar="PATH",
    help="The Python whose torch decides. [default: this one if it has torch, else python3; see the README for a project's own]",
)

_ROOT = click.option(
    "--root",
    "roots",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="A further folder to find modules in, whose tensors are told like those of the project.",
)


def _names(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Rule names, separated by commas; at least one."""
    if value is None:
        return None
    names = tuple(filter(None, (name.strip() for name in value.split(","))))
    if not names:
        raise click.BadParameter("it names no rule")
    return names


def _above_zero(context: click.Context, option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        raise click.BadParameter("it is no number above 0")
    return value


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shapewise")
def cli() -> None:
    """What every tensor of a PyTorch file is, what will go wrong, and how it is repaired.

    No line of the files is executed, but by `validate`.
    """


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--output-format", type=click.Choice(FORMATS), default="full", show_default=True)
@click.option("--select", metavar="RULE,...", callback=_names, help="Report these rules and no other.")
@click.option("--ignore", metavar="RULE,...", callback=_names, help="Leave these rules out.")
@click.option("--fix", is_flag=True, help="Make the fixes that keep what the code means.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: make the others as well.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing.")
@click.option("--statistics", is_flag=True, help="Add counts: findings by rule, how many tensors are known.")
@click.option("--cache/--no-cache", default=True, help="Whether files that have not changed are remembered.")
@_INTERPRETER
def check(paths: tuple[str, ...], **options: Any) -> None:
    """Find what goes wrong in files and folders (default: this one).

    Exit code 0: clean, 1: findings of severity warning or error, 2: a path could not be read.
    """
    from .commands.check import CheckOptions, check_paths

    _run(check_paths(paths or (".",), CheckOptions(**options)))


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each file.")
@_INTERPRETER
@_ROOT
def facts(files: tuple[str, ...], as_json: bool, interpreter: str | None, roots: tuple[str, ...]) -> None:
    """Say what every tensor of the files is, and of the modules of the project that they import."""
    from .commands.facts import print_facts

    _run(print_facts(files, as_json, interpreter, roots))


@cli.command()
@click.argument("rule", required=False)
def explain(rule: str | None) -> None:
    """Print the page of a rule; without one, list all rules."""
    from .commands.explain import list_rules, print_page

    sys.exit(list_rules() if rule is None else print_page(rule))


@cli.command()
def serve() -> None:
    """Run the language server on stdin and stdout."""
    from .lsp.main import main as serve_stdio

    serve_stdio()


@cli.command()
@click.argument("target", metavar="FILE[::QUALNAME]")
@click.option("--on", metavar="'ARGV PREFIX'", help="Where to run, as in 'ssh -T -o BatchMode=yes box'.")
@click.option(
    "--python", metavar="NAME", help="The Python there. [default: python3, here that of --interpreter]"
)
@click.option("--uncalled", is_flag=True, help="Also run what nothing calls, on made-up inputs.")
@click.option(
    "--timeout",
    type=float,
    default=600.0,
    callback=_above_zero,
    show_default=True,
    help="Seconds; then what was seen counts.",
)
@click.option(
    "--start-timeout",
    type=float,
    default=60.0,
    callback=_above_zero,
    show_default=True,
    help="Seconds until a Python answers.",
)
@click.option(
    "--memory-limit", type=float, metavar="GB", callback=_above_zero, help="End the run if it holds more."
)
@click.option("--cwd", metavar="DIR", help="A folder there to run in. [default: an empty one]")
@click.option(
    "--output-format", type=click.Choice(("full", "json", "markdown")), default="full", show_default=True
)
@_INTERPRETER
def validate(target: str, **options: Any) -> None:
    """Run a file for real, here or elsewhere, and compare it with what is shown of it.

    The file's text and the modules of the project that it imports are sent along. Exit code 0: nothing is
    refuted, 1: something is or the file fails, 2: it could not be run.
    """
    from .commands.validate import ValidateOptions, validate_target

    _run(validate_target(target, ValidateOptions(**options)))


def _run(command: Coroutine[Any, Any, int]) -> None:
    try:
        sys.exit(asyncio.run(command))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def main() -> None:
    """The console script. A fault of ours ends in one sentence; SHAPEWISE_DEBUG=1 shows its trace."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a letter gets its number
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="shapewise")
    except ConfigError as error:
        click.echo(f"shapewise: {printable(str(error))}.", err=True)
    except Exception as error:
        if os.environ.get("SHAPEWISE_DEBUG"):
            raise
        what = " ".join(f"{type(error).__name__}: {error}".split())
        click.echo(
            f"shapewise: this is a fault of shapewise itself ({what}); please report it with what"
            " SHAPEWISE_DEBUG=1 prints, and the file if you can.",
            err=True,
        )
    sys.exit(FAILED)


if __name__ == "__main__":
    main()
