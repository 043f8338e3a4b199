"""The modules of one trace: each is interpreted once, in a table like `sys.modules`.

The tracer reads no file of the user's: their texts come from the host (`sources`), and are
interpreted like the file itself.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..control import STOP, Budget, BudgetExhausted
from ..gate.own import INTERPRETED, alias_of, interpreted_class, is_interpreted
from ..unknowns.unknown import Unknown
from ..wall import namespaces
from .gathered import Origin, absolute_in
from .sources import Answer, Source, Sources

if TYPE_CHECKING:
    from ..run import Env, Run

_MOST_MODULES = 600


_HEAVY: dict[str, float] = {}
"""Files of installed packages whose import took most of all that imports may, and with how many times the usual time."""


class _ImportBudget(Budget):
    """Of all imports of a trace together: that of the file itself is not touched. timm takes half of it."""

    MAX_STEPS = 400_000
    MAX_OPS = 100_000
    MAX_SECONDS = 6.0

    @contextmanager
    def most(self, of_it: bool) -> Iterator[None]:
        """Around the import of a package by another module: a quarter of what is left is kept for what imports it."""
        if not of_it:
            yield
            return
        steps, ops, kept = self.MAX_STEPS, self.MAX_OPS, self.left() / 4
        self.MAX_STEPS = steps - (steps - self.steps) // 4
        self.MAX_OPS = ops - int(ops - self.ops) // 4
        self.until -= kept
        try:
            yield
        finally:
            self.MAX_STEPS, self.MAX_OPS = steps, ops
            self.until += kept + max(0.0, -self.left())  # what the way out took is nobody's

    def took_half(self, left: float, steps: int) -> bool:
        """Whether half of all was used since there were so many seconds left and so many steps made."""
        return 2 * (self.steps - steps) > self.MAX_STEPS or 2 * (left - self.left()) > self.MAX_SECONDS

    def lasts(self) -> bool:
        """Whether there is more of it, now that a package has used up its part. It goes on if so."""
        self.out = STOP.is_set() or self.is_used_up() or self.left() <= 0
        return not self.out


def _top(name: str) -> str:
    return name.partition(".")[0]


class Module:
    """One module of the interpreted program. `env` is its top level, once it runs.

    `text` is that of the user's own, `broken` that of the file itself: see `session.trace`.
    """

    __slots__ = ("alias", "broken", "env", "file", "name", "own", "package", "text", "value")

    def __init__(
        self,
        name: str,
        file: str,
        package: str,
        own: bool = True,
        text: str = "",
        broken: dict[int, tuple[str, ...]] | None = None,
    ) -> None:
        self.text = text
        self.broken = broken or {}
        self.name = name
        self.file = file
        self.package = package
        self.own = own
        self.alias = alias_of(name)
        self.value = types.ModuleType(name)
        self.value.__dict__.update(__name__=name, __package__=package)
        if file:
            self.value.__dict__["__file__"] = file
        self.env: Env | None = None

    def top(self) -> Env:
        """The environment of its top level."""
        assert self.env is not None
        return self.env


class Modules:
    """The table of one trace. Leaving the `with` block leaves nothing of it in the process."""

    def __init__(self, run: Run, main: Module, sources: Sources) -> None:
        self.run = run
        self.sources = sources
        self.table: dict[str, types.ModuleType | Unknown | None] = {}
        self.all: list[Module] = []
        self._names: set[int] = set()
        self._loading: list[str] = []
        self._put_off: dict[int, Source] = {}
        """Packages whose own text has not run yet, by their modules."""
        self._budget = _ImportBudget(times=run.budget.times)
        self._budget.stop()
        self.add(main)
        self._may_put_off = "__main__" not in main.text
        """Whether the file is none that is started."""

    def __enter__(self) -> Modules:
        namespaces.INSTEAD["sys"].modules = self.table  # type: ignore[attr-defined]
        return self

    def __exit__(self, *details: Any) -> None:
        for module in self.all:
            sys.modules.pop(module.alias, None)
            module.value.__dict__.clear()  # whoever still holds a class of the file holds no more than that
        namespaces.INSTEAD["sys"].modules = {}  # type: ignore[attr-defined]

    @property
    def light(self) -> bool:
        """Whether the imports took so little that they can be made some more times."""
        return self._budget.light

    def add(self, module: Module) -> None:
        """A module begins: other modules, dataclasses and typing find it from now on."""
        self.all.append(module)
        self._names.add(id(module.value.__dict__))
        self.table[module.name] = module.value
        INTERPRETED[id(module.value)] = module.value
        sys.modules[module.alias] = module.value

    def is_names(self, value: Any) -> bool:
        """Whether a dict is the names of a module (`globals()`)."""
        return id(value) in self._names

    def get(self, name: str) -> types.ModuleType | Unknown:
        """The module of an absolute name, interpreted now if it has not been yet. Raises ImportError."""
        native = namespaces.find(name) if self.is_native(name) else None
        if native is not None:
            return native
        if name in self.table:
            found = self.table[name]
            if found is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return found
        parent, _, last = name.rpartition(".")
        above: types.ModuleType | Unknown | None = None
        if parent:
            above = self.get(parent)
            if isinstance(above, Unknown):
                return above
            if name in self.table:  # the parent imports it
                return self.get(name)
        answer = self._answer(name)
        if isinstance(answer, Source):
            loaded = self._load(name, answer)
        elif answer is None:
            self.table[name] = None
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        else:
            loaded = self.table[name] = answer
        if above is not None and (is_interpreted(above) or interpreted_class(type(above))):
            above.__dict__[last] = loaded  # also of an object that stands in the place of a module
        return loaded

    def is_native(self, name: str) -> bool:
        """Whether a name stands for a module of this process, or for none, but not for one to be interpreted."""
        return name.split(".")[0] not in self.sources.beside and namespaces.is_native(name)

    def exists(self, name: str) -> bool:
        """Whether there is such a module, found without interpreting anything."""
        if name in self.table:
            return self.table[name] is not None
        return self.is_native(name) or self.sources.get(name) is not None

    def _answer(self, name: str) -> Answer:
        if len(self.all) > _MOST_MODULES:
            return Unknown("too many modules to follow")
        return self.sources.get(name)

    def _load(self, name: str, source: Source) -> types.ModuleType | Unknown:
        """Interpret a module. Its side effects last, whatever becomes of the way that imports it."""
        if not source.own and _HEAVY.get(source.file, 0.0) >= self.run.budget.times:
            return self._given_up(name)
        package = name if source.package else name.rpartition(".")[0]
        module = Module(name, source.file, package, source.own, source.text)
        if source.package:
            module.value.__dict__["__path__"] = [os.path.dirname(source.file)]
        self.add(module)
        if self._can_wait(name, source):
            self._put_off[id(module.value)] = source
            return module.value
        return self._interpreted(module, source)

    def _given_up(self, name: str) -> Unknown:
        lost = self.table[name] = Unknown(f"importing {name} takes too long to follow")
        self.run.is_short = True
        return lost

    def _can_wait(self, name: str, source: Source) -> bool:
        """Whether this is a package that only gathers its modules, of which few have to do with the file: it lies around it, or is too large."""
        if source.gathered is None or not source.gathered.only:
            return source.gathered is not None
        return self._may_put_off and f"{self.sources.package}.".startswith(f"{name}.")

    def catch_up(self, value: types.ModuleType, name: str) -> bool:
        """Have a name that a package binds which has waited (`*`: all that it binds). Whether there is more now."""
        source = self._put_off.get(id(value))
        if source is None or source.gathered is None:
            return False
        names, stars, only = source.gathered
        if only and name not in names and not stars and name != "*":
            return False
        origin = names.get(name)
        if origin is not None and self._fetched(value, name, origin):
            return True
        if not only and name not in names and self._elsewhere(value, name, stars):
            return True
        if self._put_off.pop(id(value), None) is not None:  # else a module on the way had need of all of it
            self._interpreted(next(one for one in self.all if one.value is value), source)
        return True

    def _elsewhere(self, package: types.ModuleType, name: str, stars: Iterable[str]) -> bool:
        """Bind a name of a large package that it does not name: one of its modules, or of a module that it takes all of."""
        if self.exists(f"{package.__name__}.{name}"):
            self.get(f"{package.__name__}.{name}")
            return True
        return any(self._fetched(package, name, Origin(star, name), False) for star in stars)

    def _fetched(
        self, package: types.ModuleType, name: str, origin: Origin, may_be_a_module: bool = True
    ) -> bool:
        """Bind one name of a package that waits. False if it is not where the package says."""
        try:
            path = absolute_in(package.__name__, origin.path)
            owner = package if path == package.__name__ else self.get(path)
            if INTERPRETED.get(id(owner)) is not owner:
                return False
            names, inner = owner.__dict__, origin.name
            if owner is not package and inner not in names:
                self.catch_up(owner, inner)
            if inner not in names and not may_be_a_module:
                return False
            package.__dict__[name] = names[inner] if inner in names else self.get(f"{path}.{inner}")
        except ImportError:
            return False
        return True

    def _interpreted(self, module: Module, source: Source) -> types.ModuleType | Unknown:
        run, outermost, name = self.run, not self._loading, module.name
        guest = not (outermost or source.own or _top(name) in map(_top, self._loading))
        run.spoiled += 1
        run.repeats &= source.repeats
        self._loading.append(name)
        left, steps = self._budget.left(), self._budget.steps
        try:
            with run.journal.aside(), run.spending(self._budget), self._budget.most(guest):
                run.execute(module, source.body)
        except BudgetExhausted:
            self._given_up(name)
            if not source.own and not STOP.is_set() and self._budget.took_half(left, steps):
                _HEAVY[source.file] = run.budget.times
            if not (outermost or (guest and self._budget.lasts())):
                raise
        except Exception:
            self.table.pop(name, None)
            raise
        finally:
            self._loading.pop()
        found = self.table[name]
        assert found is not None
        return found
