import torch

before = torch.zeros(2, 3)
import string
class Spy(dict):
    def __missing__(self, key):
        return __import__("os").system("touch @MARKER@")
class Walk(string.Formatter):
    def get_field(self, name, args, kw):
        return open("@MARKER@", "w"), name
class T(string.Template):
    idpattern = r"[a-z._\[\]']+"
for run in (
    lambda: "{x.__class__.__init__.__globals__[os]}".format_map(Spy()),
    lambda: Walk().format("{0}", 1),
    lambda: string.Formatter().vformat("{0.__globals__[__builtins__]}", (run,), {}),
    lambda: T("${x.__class__}").substitute(Spy()),
    lambda: "%(x)s" % Spy(),
    lambda: f"{before.__class__.__init__.__globals__}",
    lambda: string.Formatter.parse.__globals__["os"],
    lambda: string.Formatter().get_field("0.__init__.__globals__[_string]", (Walk(),), {}),
):
    try:
        print(run())
    except Exception:
        pass
after = before.sum(dim=0)
