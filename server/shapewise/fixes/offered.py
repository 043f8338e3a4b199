"""Which of the fixes of a finding are made without asking."""

from __future__ import annotations

from ..vocabulary.findings import Finding, Fix

SAFE = "safe"


def allowed(finding: Finding, unsafe: bool = False) -> list[Fix]:
    """The fixes that may be made without asking, in the order in which they are tried: safe ones first."""
    safe = [fix for fix in finding.fixes if fix.safety == SAFE]
    return safe + [fix for fix in finding.fixes if unsafe and fix.safety != SAFE]


def offered(finding: Finding, unsafe: bool = False) -> Fix | None:
    """The fix to make without asking."""
    return next(iter(allowed(finding, unsafe)), None)
