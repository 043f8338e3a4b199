"""Imports, each bound where it stands."""

from __future__ import annotations

import ast

from ..run import Env
from ..sources import imports
from . import Base, Statement


class Imports(Base):
    """The imports of the compiler."""

    def stmt_Import(self, node: ast.Import) -> Statement:
        span = self.span(node)

        def run(env: Env) -> None:
            env.run.site = span
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                value = imports.module(
                    env, alias.name if alias.asname else alias.name.split(".")[0], alias.name
                )
                env.run.store(self.home(env, name), name, value)

        return run

    def stmt_ImportFrom(self, node: ast.ImportFrom) -> Statement:
        span = self.span(node)

        def run(env: Env) -> None:
            env.run.site = span
            path = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name == "*":
                    for name, value in imports.star(env, path).items():
                        env.run.store(env, name, value)
                    continue
                name = alias.asname or alias.name
                env.run.store(self.home(env, name), name, imports.member(env, path, alias.name))

        return run
