"""Which rules are reported."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from ..analysis import Analysis
from ..config import Config, ConfigError
from ..rules.pages import pages
from ..suppression import UNUSED, suppress
from ..vocabulary.findings import Finding


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """`select` None means the rules that are on by default."""

    select: frozenset[str] | None
    ignore: frozenset[str]

    @classmethod
    def of(
        cls, config: Config, select: Iterable[str] | None = None, ignore: Iterable[str] | None = None
    ) -> RuleChoice:
        """What the command line selects stands for what the settings select; what both ignore adds up.

        Raises ConfigError for a rule that does not exist.
        """
        chosen = config.select if select is None else tuple(select)
        left_out = (*config.ignore, *(ignore or ()))
        for rule in (*(chosen or ()), *left_out):
            if rule not in pages():
                raise ConfigError(unknown_rule(rule))
        return cls(None if chosen is None else frozenset(chosen), frozenset(left_out))

    def has(self, rule: str) -> bool:
        """Whether a rule is reported."""
        if rule in self.ignore:
            return False
        if self.select is not None:
            return rule in self.select
        page = pages().get(rule)
        return page is None or page.default

    def wanted(self, analysis: Analysis) -> tuple[Finding, ...]:
        """The findings that are reported, suppressions heard."""
        skipped = [rule for rule in pages() if not self.has(rule)]
        findings = [finding for finding in analysis.findings if self.has(finding.rule)]
        left = suppress(findings, analysis.source.text, skipped)
        return tuple(finding for finding in left if self.has(finding.rule))

    def wanted_of(self, findings: Iterable[Finding], text: str) -> tuple[Finding, ...]:
        """Those of some findings in a text that are reported; what it suppresses besides is not looked at."""
        left = suppress([finding for finding in findings if self.has(finding.rule)], text)
        return tuple(finding for finding in left if finding.rule != UNUSED)


def unknown_rule(rule: str) -> str:
    """A sentence that names the rule that was probably meant."""
    near = difflib.get_close_matches(rule, pages(), n=1)
    return f"there is no rule {rule!r}; " + (
        f"the nearest is {near[0]}" if near else f"there are {', '.join(pages())}"
    )
