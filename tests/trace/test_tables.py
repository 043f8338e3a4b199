"""pandas: each expression is run for real and compared, on data that a seed makes and on data that nobody knows."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

HEAD = """
import io
import numpy as np
import pandas as pd
import torch
{seed}
n = 60
df = pd.DataFrame({{
    "key": np.arange(n) % 7,
    "kind": ["a", "b", "c"] * 20,
    "when": pd.date_range("2021-03-01", periods=n),
    "x": np.random.randn(n),
    "y": np.random.rand(n).astype(np.float32),
    "k": np.random.randint(0, 5, n),
    "ok": np.random.rand(n) > 0.5,
}})
num = df[["x", "y", "k"]]
df["lag"] = df["x"].shift(2)
"""

BY_STRUCTURE = """
df["x"].values
df["k"].to_numpy()
df.k.values
df["y"].to_numpy(dtype=np.float32)
num.values
num.to_numpy(np.float32)
df[["x"]].values
df[["x", "lag"]].values
df[["k", "ok"]].astype(int).values
num.iloc[5:15].values
num.iloc[:, 1:].values
num.iloc[:, 0].values
num.iloc[3].values
num.loc[2:9, ["x", "k"]].values
num.loc[:, "y"].values
num.drop(columns=["y"]).values
num.drop("k", axis=1).to_numpy()
num.head(7).values
(num["x"] * 2 + num["k"]).values
(num["x"] > 0).values
((num - num.mean()) / num.std()).values
num.mean().values
num.fillna(0).abs().values
num["x"].rolling(5).mean().fillna(0).values
num["x"].pct_change().values
num.sum(axis=1).values
num.T.values
df["key"].map({0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7}).values
df["kind"].map({"a": 0, "b": 1, "c": 2}).values
df["kind"].astype("category").cat.codes.values
df["kind"].str.len().values
df["when"].dt.month.values
df.groupby("key")["x"].mean().values
df.groupby("kind")[["x", "k"]].sum().values
df.groupby(["key", "kind"]).agg(total=("x", "sum"), many=("k", "count")).values
df["key"].apply(lambda v: v / 2).values
df["kind"].map(df["kind"].value_counts(normalize=True)).values
df.merge(df.groupby("kind")["x"].agg(["mean", "std"]), left_on="kind", right_index=True, how="left")[["mean", "x"]].values
df.merge(df[["key", "k"]].groupby("key").sum().reset_index(), on="key")[["k_x", "k_y"]].values
pd.concat([df, df], axis=0).reset_index(drop=True)["kind"].str.len().values
df.drop(df.sample(frac=0.3).index)[["x", "k"]].values
pd.DataFrame({"x": np.random.rand(9), "t": pd.to_datetime("2021-01-01") + pd.to_timedelta(np.arange(9), unit="D")})["x"].values
pd.get_dummies(df["kind"]).values
pd.get_dummies(df["kind"], dtype=float).to_numpy()
pd.concat([num, num], axis=0).values
pd.concat([num["x"], num["k"]], axis=1).values
pd.Series([1.0, 2.0, 3.0]).to_numpy()
num.apply(lambda column: column - column.mean()).values
num.apply(lambda row: row["x"] + 1, axis=1).values
df[["x", "ok"]].values.astype(np.float32)
df.groupby("key")["x"].transform(lambda s: s - s.mean()).shape[0] * np.ones(2)
pd.DataFrame(np.random.rand(4, 3), columns=list("abc")).values
pd.DataFrame(np.random.rand(4, 3), columns=list("abc"))[["a", "c"]].values
df["kind"].unique().shape[0] * np.ones(2)
np.stack([df["x"].values, df["k"].values], axis=1)
np.log1p(df["k"]).values
np.array(num["x"])
np.where(df["x"] > 0, 1, 0)
np.full(len(df), 1.0)
np.zeros(num.shape)
pd.read_csv(io.StringIO("a,b\\n1,2.5\\n3,4.5")).values
""".strip().split("\n")

BY_VALUES = """
df.dropna(subset=["lag"])[["key"]].values
[row.k for row in df.itertuples()]
df.groupby("key")["x"].transform(lambda s: s.rolling(3).mean()).values
pd.date_range("2020-01-01", "2020-01-03", freq="h").shape[0] * np.ones(2)
df[df["x"] > 0]["k"].values
df[df["x"] > 0][["x", "y"]].values
df.loc[df["x"] > 0, "y"].values
num.dropna().values
df.dropna()["x"].values
num.sort_values("x").values
num.sample(frac=0.5, random_state=0).values
num.sample(10).values
df["k"].unique()
df["x"].nlargest(4).values
df["k"].value_counts().values
df.drop_duplicates("k")["x"].values
df.groupby("k")["x"].mean().values
np.zeros(df["k"].nunique())
num["k"].astype("category").cat.codes.values
num["k"].map({0: 1, 1: 2}).values
num["k"].map({0: 1, 1: 2, 2: 2, 3: 4, 4: 4}).values
num["x"].apply(lambda v: 1 if v > 0 else 0).values
num["x"].apply(lambda v: v if v > 0 else 0).values
num[num["k"] > 3].values
num.merge(num, on="k").values
pd.qcut(num["x"], 4, labels=False).values
""".strip().split("\n")


def script(seed: str, expressions: list[str]) -> tuple[str, list[str]]:
    lines = [f"v{number} = torch.as_tensor({one})" for number, one in enumerate(expressions)]
    return HEAD.format(seed=seed), lines


def unknown_of(trace, seed, expressions):
    """Those of which something is not known. Nothing that is said may be wrong."""
    head, lines = script(seed, expressions)
    traced = trace(head + "\n".join(lines))
    names: dict = {}
    exec(head, names)
    unknown = []
    for number, (one, line) in enumerate(zip(expressions, lines)):
        exec(line, names)
        real = names[f"v{number}"]
        value = traced.fact(f"v{number}").value if traced.knows(f"v{number}") else None
        if value is None or value.shape is None:
            unknown.append(one)
            continue
        assert len(value.shape) == real.dim(), one
        assert all(said in (None, size) for said, size in zip(value.shape, real.shape)), (one, value.shape)
        assert value.dtype in (None, str(real.dtype).removeprefix("torch.")), (one, value.dtype)
        assert value.contiguous in (None, real.is_contiguous()), one
        assert all(said in (None, step) for said, step in zip(value.stride or (), real.stride())), one
        if None in value.shape or value.dtype is None:
            unknown.append(one)
    assert not traced.failures()
    return unknown


@pytest.mark.filterwarnings("ignore")
def test_tables_that_a_seed_makes_are_known(trace):
    expressions = [*BY_STRUCTURE, *BY_VALUES]
    unknown = unknown_of(trace, "np.random.seed(3)", expressions)
    assert set(unknown) <= {"num.sample(10).values"}, unknown


@pytest.mark.filterwarnings("ignore")
def test_of_tables_of_nobody_knows_which_numbers_what_they_decide_is_not_said(trace):
    unknown = unknown_of(trace, "", [*BY_STRUCTURE, *BY_VALUES])
    assert not set(unknown) & set(BY_STRUCTURE), unknown


def fact(traced, name):
    value = traced.fact(name).value
    return value.shape, value.dtype


def test_of_a_table_of_a_file_its_rank_and_what_the_text_says_are_known(trace):
    traced = trace(
        """
import numpy as np
import pandas as pd
import torch
from torch import nn
df = pd.read_csv("houses.csv")
df = df.drop(columns=["id"]).dropna()
df["age"] = 2020 - df["built"]
a = torch.tensor(df["price"].values, dtype=torch.float32)
b = torch.tensor(df[["age", "rooms"]].values, dtype=torch.float32)
c = torch.from_numpy(df.values)
X, y = df.iloc[:, :-1].values, df.iloc[:, -1].values
d = torch.FloatTensor(X)
e = nn.Linear(30, 4)(d)
f = torch.tensor(df.iloc[:, 0:8].to_numpy(np.float32))
g = torch.tensor(df[df.rooms > 3][["age"]].values)
h = torch.zeros(df["street"].nunique(), 3)
i = torch.tensor((df["rooms"] > 2).values)
j = torch.tensor(pd.read_csv("x.csv", usecols=["u", "v"], dtype=np.float32).values)
words = df["text"].apply(lambda text: text.split())
total = len(df)
"""
    )
    assert fact(traced, "a") == ((None,), "float32")
    assert fact(traced, "b") == ((None, 2), "float32")
    assert fact(traced, "c") == ((None, None), None)
    assert fact(traced, "d") == ((None, None), "float32")
    assert fact(traced, "e") == ((None, 4), "float32")
    assert fact(traced, "f") == ((None, 8), "float32")
    assert traced.shape("g") == (None, 1)
    assert traced.shape("h") == (None, 3)
    assert fact(traced, "i") == ((None,), "bool")
    assert fact(traced, "j") == ((None, 2), "float32")
    assert not traced.failures()


def test_a_table_that_the_program_wrote_is_read_as_it_was_written(trace):
    traced = trace(
        """
import os, tempfile
import numpy as np
import pandas as pd
import torch
path = os.path.join(tempfile.mkdtemp(), "t.csv")
pd.DataFrame({"a": np.random.rand(9), "b": np.arange(9), "c": list("xyzxyzxyz")}).to_csv(path, index=False)
df = pd.read_csv(path)
a = torch.tensor(df[["a", "b"]].values)
b = torch.tensor(df["b"].values)
c = torch.tensor([{"x": 0, "y": 1, "z": 2}[one] for one in df["c"]])
"""
    )
    assert fact(traced, "a") == ((9, 2), "float64")
    assert fact(traced, "b") == ((9,), "int64")
    assert fact(traced, "c") == ((9,), "int64")


def test_a_table_that_is_changed_on_one_way_of_a_condition_is_one_of_two(trace):
    traced = trace(
        """
import pandas as pd
import torch
from nowhere import flag
df = pd.DataFrame({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0]})
other = df.copy()
if flag:
    df["c"] = 1
    other["b"] = [4.0, 5.0, 6.0]
df2 = pd.DataFrame({"a": [1, 2, 3]})
df2.drop(columns=["a"], inplace=True)
df2["z"] = [1, 2]
a = torch.tensor(df.values)
b = torch.tensor(other.values)
c = torch.tensor(df["a"])
"""
    )
    assert not traced.knows("a") or traced.shape("a") is None
    assert fact(traced, "b") == ((3, 2), "float64")
    assert not traced.knows("c") or traced.shape("c") in (None, (3,))
    assert not traced.failures()


def test_what_is_written_into_a_table_and_not_known_is_there(trace):
    traced = trace(
        """
import pandas as pd
import torch
from nowhere import feature, some
df = pd.DataFrame({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0]})
other, third = df.copy(), df.copy()
df["c"] = feature
a = torch.tensor(df.values)
other[some] = 1
b = torch.tensor(other.values)
third.loc[0, "a"] = feature
c = torch.tensor(third["a"].values)
third.b = [4, 5, 6]
d = torch.tensor(third["b"].values)
del third["b"]
e = torch.tensor(third.values)
third.columns = some
f = torch.tensor(third.values)
"""
    )
    assert fact(traced, "a") == ((3, 3), "float64")
    assert not traced.knows("b") or traced.shape("b") is None
    assert not traced.knows("c") or fact(traced, "c")[1] is None
    assert fact(traced, "d") == ((3,), "int64")
    assert not traced.knows("e") or traced.shape("e") in ((3, 1), None)
    assert not traced.failures()


def test_pandas_is_given_no_function_and_no_name_of_one(trace):
    traced = trace(
        """
import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3]})
a = df.groupby("a").agg("to_pickle")
b = df.pipe(print)
c = df.eval("a + 1")
d = df.query("a > 1")
e = df._mgr
f = df._held
g = pd.read_pickle("x")
df.to_pickle("y")
h = pd.date_range("2020-01-01", periods=10**12)
i = pd.DataFrame(0, index=range(10**6), columns=range(10**6))
j = pd.Series(["a" * 40 + "b"]).str.contains("(a+)+$")
k = df.reindex(range(10**10))
"""
    )
    assert not traced.failures()


def test_numpys_unique_of_texts_numbers_each_of_them(trace):
    traced = trace(
        """
import random
import numpy as np, torch
def of(rng):
    kinds, codes, counts = np.unique(rng.choice(["a", "b", "c"], 30), return_inverse=True, return_counts=True)
    numbers, back = np.unique(rng.integers(0, 9, 20), return_inverse=True)
    places = np.where(rng.integers(0, 3, 9) == 1)[0]
    row = torch.zeros(9, 4)[random.choice(places)]
    return torch.from_numpy(codes), torch.from_numpy(counts), torch.from_numpy(back), torch.zeros(len(kinds)), row
known = of(np.random.default_rng(0))
hidden = of(np.random.default_rng())
"""
    )
    shapes = [[item.shape for item in traced.fact(name).value.items] for name in ("known", "hidden")]
    assert shapes == [[(30,), (3,), (20,), (3,), (4,)], [(30,), (None,), (20,), (None,), (4,)]]
