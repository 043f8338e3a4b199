import torch

before = torch.zeros(2, 3)
import argparse
import functools
import inspect
import logging
import operator
import pathlib
import re


def harmless():
    return 1


try:
    operator.attrgetter("__globals__")(harmless)["__builtins__"]["open"]("@MARKER@", "w")
except Exception:
    pass
try:
    operator.methodcaller("__class__")(harmless)("open('@MARKER@', 'w')")
except Exception:
    pass
try:
    list(map(operator.attrgetter("__globals__"), [harmless]))[0]["__builtins__"].open("@MARKER@", "w")
except Exception:
    pass
try:
    logging.FileHandler("@MARKER@").emit("x")
    logging.os.system("touch @MARKER@")
except Exception:
    pass
try:
    pathlib.Path("@MARKER@").write_text("x")
    pathlib.os.system("touch @MARKER@")
except Exception:
    pass
try:
    pathlib.Path("@MARKER@").touch()
except Exception:
    pass
try:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=argparse.FileType("w"), default="@MARKER@")
    parser.parse_args([])
except BaseException:
    pass
try:
    re.sub("a", lambda match: open("@MARKER@", "w").write("x"), "a")
    re.compile("a").scanner("a").pattern.__class__.__base__.__subclasses__()
except Exception:
    pass
try:
    inspect.signature(harmless).__class__.__init__.__globals__["__builtins__"]["open"]("@MARKER@", "w")
except Exception:
    pass
try:
    functools.singledispatch(exec)("open('@MARKER@', 'w')")
except Exception:
    pass
try:
    type.__new__(type, "X", (), {"__del__": lambda self: open("@MARKER@", "w")})()
except Exception:
    pass
try:
    inspect.sys.modules["os"].system("touch @MARKER@")
except Exception:
    pass
open("@MARKER@", "w").close()
after = before.sum(dim=0)
