"""How much is tried: what repeats itself in many variants tries some of them, and all with `--thorough`."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="every variant of what is tried in many")


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
