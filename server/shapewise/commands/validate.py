"""`shapewise validate FILE[::QUALNAME] [--on 'ARGV PREFIX']`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import click

from .. import documents
from ..config import ConfigError, Configs
from ..documents import UnreadableFile
from ..host.errors import TracerError
from ..remote import render
from ..remote.bundle import NotRunnable, bundle
from ..remote.facts import REFUTED
from ..remote.link import Link, RemoteError, command
from ..remote.validation import Options, Traced, lines_of, validate
from ..report.checked import printable, shown
from ..rule_choice import RuleChoice
from ..source import Source
from ..workspace.project import Project
from .interpreter import interpreter_for
from .session import Session


@dataclass(frozen=True, slots=True)
class ValidateOptions:
    """The options of the command, by their names there."""

    on: str | None = None
    python: str | None = None
    uncalled: bool = False
    timeout: float = 600.0
    start_timeout: float = 60.0
    memory_limit: float | None = None
    cwd: str | None = None
    output_format: str = "full"
    interpreter: str | None = None


async def validate_target(target: str, options: ValidateOptions) -> int:
    """Run and compare. 0: nothing is refuted, 1: something is, or the file failed; 2: it could not be run."""
    path, name = split(target)
    try:
        source = documents.read(path).source
        config = Configs().of(path)
        interpreter = interpreter_for(Path(path), options.interpreter, config)
        python = options.python or ("python3" if options.on else interpreter)
        project = Project([os.getcwd()])
        files = bundle(source, project)
        if name is not None:
            lines_of(files, name)  # one that is not there is told before anything is started
        link = Link(command(options.on, python), options.start_timeout)
        click.echo(f"Runs {', '.join(shown(one.file) for one in files.files)} with: {link.shown}", err=True)
        memory = None if options.memory_limit is None else int(options.memory_limit * 1e9)
        asked = Options(name, options.uncalled, options.timeout, memory, options.cwd)
        async with Session(interpreter) as session, link:

            async def traced() -> Traced:
                return await trace(source, session, configs)

            configs = Configs()
            validation = await validate(files, traced(), link, asked)
    except (UnreadableFile, TracerError, ConfigError, NotRunnable, RemoteError) as error:
        click.echo(f"shapewise: {printable(str(error).rstrip('.'))}.", err=True)
        return 2
    if options.output_format == "json":
        click.echo(json.dumps(render.as_json(source, validation), indent=1))
    else:
        report = render.markdown(source, validation)
        if options.output_format == "markdown":
            click.echo(report)
        else:
            _show(report)
    return int(validation.error is not None or any(one.verdict == REFUTED for one in validation.facts))


def _show(report: str) -> None:
    from rich.console import Console  # all that only people need is loaded last
    from rich.markdown import Markdown

    Console(highlight=False).print(Markdown(report))


async def trace(source: Source, session: Session, configs: Configs) -> Traced:
    """What is claimed of a file. Raises TracerError and ConfigError."""
    config = configs.of(source.path)
    analysis = await session.analyse_called(source, config)
    rules = RuleChoice.of(config)
    found = [(source.path, finding) for finding in rules.wanted(analysis)]
    for other in analysis.elsewhere:
        text = documents.read(other.file).source.text
        found += [(other.file, finding) for finding in rules.wanted_of(other.findings, text)]
    return Traced(analysis, tuple(found), lambda: session.measured(analysis, config))


def split(target: str) -> tuple[str, str | None]:
    """`FILE::QUALNAME` as a path and a name."""
    path, separator, name = target.partition("::")
    return path, name if separator and name else None
