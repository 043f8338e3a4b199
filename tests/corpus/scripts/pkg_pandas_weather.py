# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import numpy as np
import pandas as pd
import torch
from torch import nn

np.random.seed(0)
index = pd.date_range("2019-01-01", "2019-03-01", freq="h")
df = pd.DataFrame(
    {
        "temp": 10 + 5 * np.sin(np.arange(len(index)) / 24 * 2 * np.pi) + np.random.randn(len(index)),
        "hum": np.random.uniform(30, 90, len(index)),
    },
    index=index,
)
df.loc[df.sample(frac=0.05, random_state=1).index, "temp"] = np.nan
df = df.interpolate(limit_direction="both")
daily = df.resample("D").mean()
df["hour_sin"] = np.sin(2 * np.pi * df.index.hour / 24)
df["hour_cos"] = np.cos(2 * np.pi * df.index.hour / 24)
df["dow"] = df.index.dayofweek
n = len(df)
train_df = df[0 : int(n * 0.7)]
val_df = df[int(n * 0.7) : int(n * 0.9)]
test_df = df[int(n * 0.9) :]
train_mean = train_df.mean()
train_std = train_df.std()
train_df = (train_df - train_mean) / train_std
val_df = (val_df - train_mean) / train_std
test_df = (test_df - train_mean) / train_std


class WindowGenerator:
    def __init__(self, input_width, label_width, shift, label_columns=None):
        self.label_columns = label_columns
        self.column_indices = {name: i for i, name in enumerate(train_df.columns)}
        self.input_width, self.label_width, self.shift = input_width, label_width, shift
        self.total_window_size = input_width + shift
        self.input_slice = slice(0, input_width)
        self.label_start = self.total_window_size - label_width
        self.labels_slice = slice(self.label_start, None)

    def split_window(self, features):
        inputs = features[:, self.input_slice, :]
        labels = features[:, self.labels_slice, :]
        if self.label_columns is not None:
            labels = torch.stack(
                [labels[:, :, self.column_indices[name]] for name in self.label_columns], dim=-1
            )
        return inputs, labels

    def make(self, data, batch=32):
        data = torch.tensor(np.array(data), dtype=torch.float32)
        windows = data.unfold(0, self.total_window_size, 1).permute(0, 2, 1)
        for start in range(0, len(windows) - batch, batch):
            yield self.split_window(windows[start : start + batch])


class FeedBack(nn.Module):
    def __init__(self, units, out_steps, num_features):
        super().__init__()
        self.out_steps = out_steps
        self.cell = nn.LSTMCell(num_features, units)
        self.dense = nn.Linear(units, num_features)

    def forward(self, inputs):
        b = inputs.size(0)
        h = inputs.new_zeros(b, self.cell.hidden_size)
        c = inputs.new_zeros(b, self.cell.hidden_size)
        for t in range(inputs.size(1)):
            h, c = self.cell(inputs[:, t], (h, c))
        predictions = []
        prediction = self.dense(h)
        predictions.append(prediction)
        for _ in range(1, self.out_steps):
            h, c = self.cell(prediction, (h, c))
            prediction = self.dense(h)
            predictions.append(prediction)
        return torch.stack(predictions, dim=1)


w = WindowGenerator(24, 6, 6)
model = FeedBack(16, 6, df.shape[1])
opt = torch.optim.Adam(model.parameters())
for epoch in range(1):
    for x, y in w.make(train_df.values):
        pred = model(x)
        loss = (pred - y).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
w1 = WindowGenerator(24, 1, 1, ["temp"])
for x, y in w1.make(val_df):
    base = x[:, -1:, w1.column_indices["temp"]]
    err = (base - y[..., 0]).pow(2).mean()
day = torch.from_numpy(daily["temp"].values)
print(loss.item(), err, day.shape)
