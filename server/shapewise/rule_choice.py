"""Which rules are reported."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from .analysis import Analysis
from .config import FILE, Config, ConfigError
from .rules.telling.pages import pages
from .suppression import UNUSED, suppress
from .vocabulary.findings import SEVERITIES, Finding


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """`select` None means the rules that are on by default."""

    select: frozenset[str] | None
    ignore: frozenset[str]
    severity: tuple[tuple[str, str], ...] = ()
    per_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    root: Path | None = None
    also: frozenset[str] = frozenset()
    """Rules that are reported whatever the others say."""

    @classmethod
    def of(
        cls, config: Config, select: Iterable[str] | None = None, ignore: Iterable[str] | None = None
    ) -> RuleChoice:
        """What the command line selects stands for what the settings select; what both ignore adds up.

        Raises ConfigError for a rule that does not exist.
        """
        chosen = config.select if select is None else tuple(select)
        left_out = (*config.ignore, *(ignore or ()))
        _check((*(select or ()), *(ignore or ())))
        _check(
            (
                *((config.select or ()) if select is None else ()),
                *config.ignore,
                *(rule for _, rules in config.per_file_ignores for rule in rules),
                *(rule for rule, _ in config.severity),
            ),
            config.root,
        )
        return cls(
            None if chosen is None else frozenset(chosen),
            frozenset(left_out),
            config.severity,
            config.per_file_ignores,
            config.root,
        )

    def with_severities(self, said: Mapping[str, str]) -> RuleChoice:
        """The same choice, but for rules of which an editor's settings say `off` or how severe they are.

        What they say of no rule, or in no word of ours, is as if not said.
        """
        known = {
            rule: word for rule, word in said.items() if rule in pages() and word in ("off", *SEVERITIES)
        }
        on = {rule: word for rule, word in known.items() if word != "off"}
        return replace(
            self,
            ignore=self.ignore | (known.keys() - on.keys()),
            severity=(*self.severity, *on.items()),
            also=frozenset(on),
        )

    def ignored_in(self, path: str) -> frozenset[str]:
        """The rules that are ignored in a file, by the patterns that its path under the project matches."""
        full = Path(path).absolute()
        inside = (
            full.relative_to(self.root) if self.root is not None and full.is_relative_to(self.root) else full
        )
        return frozenset(
            rule
            for pattern, rules in self.per_file
            if fnmatch(inside.as_posix(), pattern) or fnmatch(inside.name, pattern)
            for rule in rules
        )

    def _as_asked(self, finding: Finding) -> Finding:
        severity = dict(self.severity).get(finding.rule)
        return finding if severity is None else replace(finding, severity=severity)

    def has(self, rule: str) -> bool:
        """Whether a rule is reported."""
        if rule in self.also:
            return True
        if rule in self.ignore:
            return False
        if self.select is not None:
            return rule in self.select
        page = pages().get(rule)
        return page is None or page.default

    def wanted(self, analysis: Analysis) -> tuple[Finding, ...]:
        """The findings that are reported, suppressions heard."""
        here = self.ignored_in(analysis.source.path)
        skipped = [rule for rule in pages() if not self.has(rule) or rule in here]
        findings = [one for one in analysis.findings if self.has(one.rule) and one.rule not in here]
        left = suppress(findings, analysis.source.text, skipped)
        return tuple(self._as_asked(one) for one in left if self.has(one.rule) and one.rule not in here)

    def wanted_of(self, findings: Iterable[Finding], text: str) -> tuple[Finding, ...]:
        """Those of some findings in a text that are reported; what it suppresses besides is not looked at."""
        left = suppress([finding for finding in findings if self.has(finding.rule)], text)
        return tuple(self._as_asked(finding) for finding in left if finding.rule != UNUSED)


def unknown_rule(rule: str) -> str:
    """A sentence that names the rule that was probably meant."""
    near = difflib.get_close_matches(rule, pages(), n=1)
    return f"there is no rule {rule!r}; " + (
        f"the nearest is {near[0]}" if near else f"`shapewise explain` lists all {len(pages())}"
    )


def _check(rules: Iterable[str], folder: Path | None = None) -> None:
    """Raises ConfigError for a rule that does not exist; `folder`: whose pyproject.toml names them."""
    for rule in rules:
        if rule not in pages():
            raise ConfigError(("" if folder is None else f"{folder / FILE}: ") + unknown_rule(rule))
