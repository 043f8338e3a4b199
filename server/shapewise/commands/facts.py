"""`shapewise facts FILE...`."""

from __future__ import annotations

import json

import click
from rich.console import Console

from .. import documents
from ..config import ConfigError, Configs
from ..documents import UnreadableFile
from ..host.errors import TracerError
from ..report import facts_table
from ..report.as_json import facts_json
from ..report.checked import Checked
from ..rule_choice import RuleChoice
from .session import Session


async def print_facts(
    files: tuple[str, ...], as_json: bool, interpreter: str | None, roots: tuple[str, ...] = ()
) -> int:
    """Print each file as soon as it is known. 0, or 2 where one could not be read or traced."""
    console = Console(highlight=False)
    configs = Configs()
    async with Session(interpreter, roots, to_the_end=True) as session:
        for path in files:
            try:
                file = await _facts_of(path, session, configs)
            except (UnreadableFile, TracerError, ConfigError) as error:
                session.complain(error)
                if as_json:
                    click.echo(json.dumps({"file": path, "error": str(error)}))
                continue
            if as_json:
                click.echo(json.dumps(facts_json(file)))
            else:
                facts_table.show(file, console)
    return 2 if session.failed else 0


async def _facts_of(path: str, session: Session, configs: Configs) -> Checked:
    source = documents.read(path).source
    config = configs.of(path)
    analysis = await session.analyse_called(source, config)
    return await session.report(analysis, config, RuleChoice.of(config))
