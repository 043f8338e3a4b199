"""argparse, as if the file were run without arguments: every option has its default.

Explicit lists of arguments are parsed by the real parser. Nothing is printed, no file is read and
the process goes on: where the real parser would end it, the result is unknown.
"""

from __future__ import annotations

import argparse
import types
from typing import Any

from ..control import Thrown
from ..shims import here
from ..unknowns.unknown import Lost, Unknown, find_unknown
from . import leave, list_member, stand_in

_SHOWN_ONLY = (
    "help",
    "version",
    "metavar",
    "description",
    "epilog",
    "usage",
    "prog",
    "title",
    "formatter_class",
)
"""Options that only say how the help looks: left out, so that no text of the file's is ever formatted."""


class Namespace(types.SimpleNamespace):
    """`argparse.Namespace`. An open one may have attributes that nobody knows."""

    def __contains__(self, name: Any) -> bool:
        return name in self.__dict__


class _Open(Namespace):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown("given on the command line")


def _quiet(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _SHOWN_ONLY}


class _Adds:
    """What a parser and its groups share."""

    def add_argument(self, *flags: Any, **options: Any) -> Any:
        if find_unknown(flags) is not None or type(options.get("nargs")) is Unknown:
            raise Lost("an option whose name is not known")
        action = options.get("action")
        if action in ("help", "version"):
            return None
        if type(action) is Unknown or (isinstance(action, type) and action is not _BOOLEAN):
            options = {"dest": options.get("dest"), "default": Unknown("set by an action of the file's own")}
            options = {name: value for name, value in options.items() if value is not None}
        made = super().add_argument(*flags, **_quiet(options))  # type: ignore[misc]
        if isinstance(made, _BOOLEAN):
            made.help = None
        return None

    def add_argument_group(self, *args: Any, **options: Any) -> Any:
        return Group(self)  # type: ignore[call-overload]

    def add_mutually_exclusive_group(self, *, required: Any = False) -> Any:
        return ExclusiveGroup(self, required=required is True)  # type: ignore[arg-type]

    def set_defaults(self, **values: Any) -> None:
        super().set_defaults(**values)  # type: ignore[misc]

    def get_default(self, dest: Any) -> Any:
        return super().get_default(dest)  # type: ignore[misc]


_BOOLEAN: Any = argparse.BooleanOptionalAction


class Group(_Adds, argparse._ArgumentGroup):
    """What `add_argument_group` gives."""


class ExclusiveGroup(_Adds, argparse._MutuallyExclusiveGroup):
    """What `add_mutually_exclusive_group` gives."""


class Subparsers:
    """What `add_subparsers` gives: parsers of commands, none of which is chosen."""

    def add_parser(self, *args: Any, **options: Any) -> Any:
        return ArgumentParser()


class ArgumentParser(_Adds, argparse.ArgumentParser):
    """`argparse.ArgumentParser`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        taken = ("parents", "prefix_chars", "argument_default", "conflict_handler", "allow_abbrev")
        taken_here = {name: value for name, value in options.items() if name in taken}
        if find_unknown(taken_here) is not None:
            raise Lost("a parser that is not known")
        super().__init__(prog="", add_help=False, **taken_here)
        self._commands = False

    def add_subparsers(self, **options: Any) -> Any:
        self._commands = True
        return Subparsers()

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self._parsed(args, namespace)[0]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self._parsed(args, namespace)

    parse_intermixed_args = parse_args
    parse_known_intermixed_args = parse_known_args

    def _parsed(self, args: Any, namespace: Any) -> tuple[Any, list[Any]]:
        into = namespace if isinstance(namespace, types.SimpleNamespace) else Namespace()
        if namespace is not None and into is not namespace:
            raise Lost("arguments parsed into an object")
        if args is None or (isinstance(args, (list, tuple)) and not args):
            return self._defaults_into(into), []
        if find_unknown(args) is not None or not all(type(arg) is str for arg in args) or self._commands:
            raise Lost("arguments that are not known")
        try:
            return argparse.ArgumentParser.parse_known_args(self, list(args), into)
        except Thrown as error:
            raise Lost("arguments that do not parse") from error

    def _defaults_into(self, into: Any) -> Any:
        open_ended = self._commands
        for action in self._actions:
            if action.dest == argparse.SUPPRESS or hasattr(into, action.dest):
                continue
            if action.required:
                setattr(into, action.dest, Unknown(f"{action.dest} is given on the command line"))
            elif action.default is not argparse.SUPPRESS:
                value = self._converted(action)
                if value is None and (env := here()) is not None:
                    env.run.options_left_out = True
                setattr(into, action.dest, value)
        for dest, value in self._defaults.items():
            if not hasattr(into, dest):
                setattr(into, dest, value)
        if open_ended and type(into) is Namespace:
            return _Open(**into.__dict__)
        return into

    def _converted(self, action: Any) -> Any:
        """The default of an option: one given as text is read as it would be on the command line."""
        if type(action.default) is not str:
            return action.default
        try:
            return self._get_value(action, action.default)
        except Exception:
            return Unknown(f"the default of {action.dest}")

    def error(self, message: Any) -> Any:
        leave(2)

    def exit(self, status: Any = 0, message: Any = None) -> Any:
        leave(status)

    def print_help(self, file: Any = None) -> None:
        return None

    def print_usage(self, file: Any = None) -> None:
        return None

    def format_help(self) -> Any:
        return Unknown("text of a parser")

    format_usage = format_help

    def register(self, registry_name: Any, value: Any, object: Any) -> None:
        super().register(registry_name, value, object)

    def _print_message(self, message: Any, file: Any = None) -> None:
        return None

    def _read_args_from_files(self, arg_strings: Any) -> Any:
        return arg_strings


def _not_followed(*args: Any, **options: Any) -> Any:
    return Unknown("a file given on the command line")


stand_in(
    "argparse",
    {
        "ArgumentParser": ArgumentParser,
        "Namespace": Namespace,
        "Action": argparse.Action,
        "BooleanOptionalAction": argparse.BooleanOptionalAction,
        "ArgumentError": argparse.ArgumentError,
        "ArgumentTypeError": argparse.ArgumentTypeError,
        "HelpFormatter": argparse.HelpFormatter,
        "ArgumentDefaultsHelpFormatter": argparse.ArgumentDefaultsHelpFormatter,
        "RawTextHelpFormatter": argparse.RawTextHelpFormatter,
        "RawDescriptionHelpFormatter": argparse.RawDescriptionHelpFormatter,
        "MetavarTypeHelpFormatter": argparse.MetavarTypeHelpFormatter,
        "FileType": _not_followed,
        "SUPPRESS": argparse.SUPPRESS,
        "REMAINDER": argparse.REMAINDER,
        "ONE_OR_MORE": argparse.ONE_OR_MORE,
        "ZERO_OR_MORE": argparse.ZERO_OR_MORE,
        "OPTIONAL": argparse.OPTIONAL,
    },
)
for _kind in (_Adds, Group, ExclusiveGroup, Subparsers, _Open):
    list_member(_kind, _kind.__name__)
