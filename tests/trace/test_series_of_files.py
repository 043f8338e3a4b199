"""Series over time in a file, as forecasters read them: columns that are put in another order, rows cut in three, dates."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")


def test_columns_of_a_file_by_their_names_are_columns(trace):
    traced = trace(
        """
import pandas as pd
import torch
df = pd.read_csv("ETTh1.csv")
names = list(df.columns)
a = torch.tensor(df[names].values)
names.remove("OT")
b = torch.tensor(df[["date"] + names + ["OT"]].values)
part = df[df.columns[1:]]
rows = len(df) - 3
c = torch.tensor(part[0:rows].values)
d = torch.tensor((part.values - part[:rows].values.mean(0)) / part[:rows].values.std(0))
e = torch.tensor(df[df.columns[1:4]].values)
scaled = d.float() * torch.ones(7)
"""
    )
    for name in "abcd":
        assert traced.shape(name) == (None, None)
    assert traced.shape("e") == (None, 3) and traced.shape("scaled") == (None, 7)
    assert not traced.failures()


def test_dates_of_a_file_have_parts(trace):
    text = """
import pandas as pd
import numpy as np
import torch
df = {made}
stamp = df[["date"]][0:len(df) - 3]
stamp["date"] = pd.to_datetime(stamp.date)
for index in (pd.to_datetime(stamp["date"].values), pd.DatetimeIndex(stamp["date"].values)):
    a = torch.tensor(index.hour.values)
    b = torch.tensor((index.dayofweek / 6.0 - 0.5).values)
    c = torch.tensor(np.stack([index.month.values / 12.0, index.hour / 23.0]).transpose(1, 0))
    a, b, c = a, b, c
"""
    made = 'pd.DataFrame({"date": pd.date_range("2020-01-01", periods=12, freq="h").astype(str)})'
    real: dict[str, object] = {}
    exec(text.format(made=made), real)
    traced, of_file = trace(text.format(made=made)), trace(text.format(made='pd.read_csv("ETTh1.csv")'))
    for name in "abc":
        expected = real[name]
        assert traced.shape(name) == tuple(expected.shape)
        assert of_file.shape(name) == (None, *expected.shape[1:])
        assert of_file.fact(name).value.dtype == str(expected.dtype).removeprefix("torch.")
    assert not traced.failures() and not of_file.failures()


def test_a_forecaster_over_a_file_is_known_where_its_layers_are(trace):
    traced = trace(
        """
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Windows(Dataset):
    def __init__(self, flag):
        df = pd.read_csv("ETTh1.csv")
        names = list(df.columns)
        names.remove("OT")
        names.remove("date")
        df = df[["date"] + names + ["OT"]]
        train, test = int(len(df) * 0.7), int(len(df) * 0.2)
        first = [0, len(df) - test - 36][flag]
        last = [train, len(df)][flag]
        data = df[df.columns[1:]]
        whole, seen = data.values, data[0:train].values
        self.data = ((whole - seen.mean(0)) / seen.std(0))[first:last]

    def __len__(self):
        return len(self.data) - 36 - 8 + 1

    def __getitem__(self, at):
        return self.data[at:at + 36], self.data[at + 36 - 12:at + 36 + 8]

class Net(nn.Module):
    def __init__(self, variables):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(variables))
        self.head = nn.Linear(36, 8)

    def forward(self, x):
        mean = x.mean(1, keepdim=True).detach()
        z = (x - mean) * self.weight
        return self.head(z.permute(0, 2, 1)).permute(0, 2, 1)

model = Net(7)
for x, y in DataLoader(Windows(0), batch_size=16, shuffle=True, drop_last=True):
    out = model(x.float())
    loss = nn.functional.mse_loss(out, y.float()[:, -8:])
"""
    )
    assert traced.shape("x") == (16, 36, None) and traced.shape("y") == (16, 20, None)
    assert traced.shape("z") == (16, 36, 7) and traced.shape("out") == (16, 8, 7)
    assert traced.shape("loss") == ()
    assert not traced.failures()
