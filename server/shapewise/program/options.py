"""Options of the command line, as argparse is told of them."""

from __future__ import annotations

from .course import Course
from .values import Value, same


def default_of(course: Course, given: Value) -> Value:
    """What `args.lr` is unless somebody says so: the default that its option has. Any other value is itself."""
    if given.by != "." or given.on is None or given.on.by != ".parse_args":
        return given
    for option in course.calls(".add_argument"):
        names = [one.const.lstrip("-").replace("-", "_") for one in option.args if isinstance(one.const, str)]
        if given.name in names and same(option.on, given.on.on) and "default" in option.kwargs:
            return option.kwargs["default"]
    return given
