"""How much is tried: what repeats itself in many variants tries some of them, and all with `--thorough`.

A card that the machine has is hidden but from `-m gpu`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from _pytest.terminal import TerminalReporter

from shapewise.host.process import TracerProcess


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="every variant of what is tried in many")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if "gpu" not in config.getoption("-m"):  # what is told must not hang on the machine that tells it
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if "CI" in os.environ and terminal is not None:
        config.pluginmanager.register(_AtOnce(terminal))


class _AtOnce:
    """Tells of a failure when it happens: a run that is ended by its time would tell of none."""

    def __init__(self, terminal: TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.ensure_newline()
            self._terminal.line(f"{report.nodeid} ({report.when}, after {report.duration:.1f} s)", red=True)
            self._terminal.line(report.longreprtext[-3000:])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--thorough"):
        return
    dropped = [one for one in items if one.get_closest_marker("thorough")]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [one for one in items if not one.get_closest_marker("thorough")]


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether all is asked for."""
    return bool(request.config.getoption("--thorough"))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def tracer() -> AsyncIterator[TracerProcess]:
    """For all that need none of their own, on one loop (`loop_scope="session"`): torch takes seconds to be loaded."""
    async with TracerProcess(sys.executable) as process:
        yield process
