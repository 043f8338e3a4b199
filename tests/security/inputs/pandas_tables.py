import torch

before = torch.zeros(2, 3)
import functools
import operator

import pandas as pd

MARK = "@MARKER@"
df = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})


def tried(attack):
    try:
        return attack()
    except Exception:
        return None


tried(lambda: df.to_csv(MARK))
tried(lambda: df.to_pickle(MARK))
tried(lambda: df._held.real.to_pickle(MARK))
tried(lambda: operator.attrgetter("_held.real.to_pickle")(df)(MARK))
tried(lambda: operator.methodcaller("_data")(df).real.to_pickle(MARK))
tried(lambda: functools.reduce(getattr, ["_held", "real", "to_pickle"], df)(MARK))
tried(lambda: vars(df)["_held"].real.to_pickle(MARK))
tried(lambda: df.groupby("b").agg("to_pickle", MARK))
tried(lambda: df.groupby("b")["a"].transform("to_csv", MARK))
tried(lambda: df.pivot_table(index="b", values="a", aggfunc="to_pickle", path=MARK))
tried(lambda: df.pivot_table("a", "b", None, "to_csv"))
tried(lambda: pd.crosstab(df["b"], df["b"], values=df["a"], aggfunc={"a": ["to_clipboard"]}))
tried(lambda: pd.pivot_table(df, index="b", aggfunc=["mean", "to_csv"], path_or_buf=MARK))
tried(lambda: df["a"].rolling(2, win_type="triang").mean())
tried(lambda: df["a"].rolling(2).mean(engine="numba"))
tried(lambda: df[["a"]].interpolate(method="cubic"))
tried(lambda: df[["a"]].corr(method="kendall"))
tried(lambda: df.query("@pd.io.common.os.system('touch @MARKER@')"))
tried(lambda: df.eval("a + @__import__('os').system('touch @MARKER@')"))
tried(lambda: pd.eval("__import__('os').system('touch @MARKER@')"))
tried(lambda: pd.read_csv("http://127.0.0.1:@PORT@/x.csv"))
tried(lambda: pd.read_pickle(MARK))
tried(lambda: pd.io.common.os.system("touch @MARKER@"))
tried(lambda: df.style.to_html(MARK))
tried(lambda: df.assign(c=lambda d: d.to_pickle(MARK)))
tried(lambda: df.pipe(lambda d: d.to_pickle(MARK)))
after = before.sum(dim=0)
