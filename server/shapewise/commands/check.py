"""`shapewise check [PATH...]`."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import click
from rich.console import Console

from .. import documents
from ..config import Config, ConfigError, Configs
from ..documents import Document, UnreadableFile
from ..fixes.offered import offered
from ..fixes.repeat import repeat
from ..host.errors import TracerError
from ..report import RENDERERS, full, statistics
from ..report.checked import Checked, shown
from ..rule_choice import RuleChoice
from ..vocabulary.events import SHORT
from .files import Wanted, wanted_files
from .kept import Kept
from .lanes import in_lanes
from .session import Session


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of the command, by their names there."""

    output_format: str = "full"
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    statistics: bool = False
    interpreter: str | None = None
    cache: bool = True

    @property
    def repairs(self) -> bool:
        """Whether fixes are made, on disk or on paper."""
        return self.fix or self.diff

    @property
    def is_for_people(self) -> bool:
        """Whether more than the format may be printed."""
        return self.output_format in ("full", "concise")


async def check_paths(paths: Sequence[str], options: CheckOptions) -> int:
    """Check, repair if asked to, report. 0, 1 or 2 as the command line promises."""
    configs = Configs()
    RuleChoice.of(Config(), options.select, options.ignore)  # a name that is none is told before all else
    if options.unsafe_fixes and not options.repairs:
        click.echo("shapewise: --unsafe-fixes makes no fix by itself: add --fix or --diff.", err=True)
    wanted_ones = [*wanted_files(paths, configs)]
    if not wanted_ones:
        click.echo(f"shapewise: there is no Python file and no notebook in {', '.join(paths)}.", err=True)
    kept = Kept() if options.cache and not options.repairs else None
    said: set[str] = set()

    async def checked(wanted: Wanted, session: Session) -> tuple[Checked, int] | None:
        try:
            return await _checked(wanted, session, configs, options, kept)
        except UnreadableFile as error:
            session.complain(error, fails=wanted.named)
        except (TracerError, ConfigError) as error:
            session.complain(error)
        return None

    results, sessions = await in_lanes(
        wanted_ones,
        checked,
        lambda: Session(options.interpreter, said=said),
        lanes=1 if options.repairs else None,  # one fix is seen by the next file
    )
    files = with_elsewhere([result[0] for result in results if result is not None])
    failed = any(session.failed for session in sessions)
    _print(files, options)
    if options.is_for_people and wanted_ones and (files or not failed):
        fixed = sum(result[1] for result in results if result is not None)
        click.echo(_summary(files, options, fixed), err=True)
    if failed:
        return 2
    return int(any(finding.severity != "hint" for file in files for finding in file.findings))


async def _checked(
    wanted: Wanted, session: Session, configs: Configs, options: CheckOptions, kept: Kept | None
) -> tuple[Checked, int]:
    """What is said of a file, and how many fixes were made. Raises what goes wrong."""
    config = configs.of(wanted.path)
    rules = RuleChoice.of(config, options.select, options.ignore)
    document = documents.read(wanted.path)
    source = document.source
    if options.repairs:
        return await _repaired(document, config, rules, session, options)
    key = ""
    if kept is not None:
        key = kept.key(source, session.interpreter(source, config), (config, rules))
        before = kept.get(key, source)
        if before is not None:
            return before, 0
    analysis = await session.analyse(source, config)
    file = await session.report(analysis, config, rules)
    if kept is not None and analysis.log.cut is None and {SHORT}.issuperset(analysis.log.notes):
        kept.put(key, file, analysis.log.files)
    return file, 0


def with_elsewhere(files: Sequence[Checked]) -> list[Checked]:
    """The files, and what was found from them in others, each place once."""
    by_path = {os.path.abspath(file.source.path): file for file in files}
    for other in [other for file in files for other in file.elsewhere if other.findings]:
        path = os.path.abspath(other.file)
        if path not in by_path:
            try:
                by_path[path] = Checked(documents.read(shown(path)).source, ())
            except UnreadableFile:
                continue
        file = by_path[path]
        told = {(finding.rule, finding.span) for finding in file.findings}
        new = [finding for finding in other.findings if (finding.rule, finding.span) not in told]
        findings = sorted((*file.findings, *new), key=lambda finding: (finding.span, finding.rule))
        by_path[path] = replace(file, findings=tuple(findings))
    return list(by_path.values())


async def _repaired(
    document: Document, config: Config, rules: RuleChoice, session: Session, options: CheckOptions
) -> tuple[Checked, int]:
    """Make the fixes of one file. With --diff what is reported is the file as it is."""
    tracer = session.tracer(document.source, config)
    analysis = await session.analyse(document.source, config)
    after = await repeat(document, analysis, tracer, rules.wanted, options.unsafe_fixes)
    if after.done and options.diff:
        _print_diff(document, after.document)
    elif after.done:
        documents.write(document.source.path, after.document)
    left = analysis if options.diff else after.analysis
    return await session.report(left, config, rules, fixes=not options.diff), len(after.done)


def _print_diff(before: Document, after: Document) -> None:
    path = shown(before.source.path)
    old, new = (_lines(document) for document in (before, after))
    for line in difflib.unified_diff(old, new, fromfile=f"a/{path}", tofile=f"b/{path}"):
        click.echo(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n", nl=False)


def _lines(document: Document) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", document.encoded().decode("utf-8", "replace"))


def _print(files: Sequence[Checked], options: CheckOptions) -> None:
    if options.diff:
        pass  # so that what is printed can be given to `git apply`
    elif options.output_format == "full":
        full.show(files, Console(file=sys.stdout, highlight=False))
    else:
        click.echo(RENDERERS[options.output_format](files), nl=False)
    if options.statistics:
        click.echo(statistics.render(files), nl=False, err=options.diff or not options.is_for_people)


def _summary(files: Sequence[Checked], options: CheckOptions, fixed: int) -> str:
    findings = [finding for file in files for finding in file.findings]
    counts = Counter(finding.severity for finding in findings)
    parts = [
        _counted(counts[severity], severity) for severity in ("error", "warning", "hint") if counts[severity]
    ]
    sentence = f"{_counted(len(files), 'file')}: {', '.join(parts) or 'nothing found'}"
    if options.repairs:
        return f"{sentence}; {fixed} {'can be ' if options.diff else ''}fixed."
    fixable = sum(offered(finding) is not None for finding in findings)
    unsafe = sum(offered(finding, unsafe=True) is not None for finding in findings) - fixable
    if fixable:
        sentence += f"; {fixable} can be fixed with --fix"
    if unsafe:
        sentence += f"; {unsafe}{' more' if fixable else ''} can be fixed with --fix --unsafe-fixes"
    return sentence + "."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
