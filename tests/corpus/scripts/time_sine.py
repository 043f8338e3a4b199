"""Sine waves continued by two LSTM cells, trained with LBFGS; then a GRU forecaster with teacher forcing."""
from __future__ import print_function

import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim


def make_sines(N=20, L=60, T=20):
    x = np.empty((N, L), 'int64')
    x[:] = np.array(range(L)) + np.random.randint(-4 * T, 4 * T, N).reshape(N, 1)
    data = np.sin(x / 1.0 / T).astype('float64')
    return data


class Sequence(nn.Module):
    def __init__(self):
        super(Sequence, self).__init__()
        self.lstm1 = nn.LSTMCell(1, 51)
        self.lstm2 = nn.LSTMCell(51, 51)
        self.linear = nn.Linear(51, 1)

    def forward(self, input, future=0):
        outputs = []
        h_t = torch.zeros(input.size(0), 51, dtype=torch.double)
        c_t = torch.zeros(input.size(0), 51, dtype=torch.double)
        h_t2 = torch.zeros(input.size(0), 51, dtype=torch.double)
        c_t2 = torch.zeros(input.size(0), 51, dtype=torch.double)

        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        for i in range(future):  # if we should predict the future
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        outputs = torch.cat(outputs, dim=1)
        return outputs


class StandardScaler:
    def fit(self, x):
        self.mean = x.mean(axis=0, keepdims=True)
        self.std = x.std(axis=0, keepdims=True) + 1e-8
        return self

    def transform(self, x):
        return (x - self.mean) / self.std

    def inverse(self, x):
        mean = torch.as_tensor(self.mean, dtype=x.dtype)
        std = torch.as_tensor(self.std, dtype=x.dtype)
        return x * std + mean


def windows(series, n_in, n_out):
    xs, ys = [], []
    for start in range(0, len(series) - n_in - n_out + 1):
        xs.append(series[start:start + n_in])
        ys.append(series[start + n_in:start + n_in + n_out])
    return np.asarray(xs), np.asarray(ys)


class Seq2Seq(nn.Module):
    def __init__(self, channels, hidden, horizon):
        super().__init__()
        self.encoder = nn.GRU(channels, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.GRUCell(channels, hidden)
        self.head = nn.Linear(hidden, channels)
        self.horizon = horizon

    def forward(self, x, y=None, teacher=0.5):
        _, h = self.encoder(x)
        h = h.view(2, 2, x.size(0), -1)[-1]
        h = torch.tanh(self.bridge(torch.cat([h[0], h[1]], dim=-1)))
        step = x[:, -1]
        out = []
        for t in range(self.horizon):
            h = self.decoder(step, h)
            pred = self.head(h) + step
            out.append(pred)
            use_truth = y is not None and random.random() < teacher
            step = y[:, t] if use_truth else pred
        return torch.stack(out, dim=1)


def quantile_loss(pred, target, q=0.9):
    err = target - pred
    return torch.max((q - 1) * err, q * err).mean()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--steps', type=int, default=2, help='steps to run')
    opt = parser.parse_args()
    # set random seed to 0
    np.random.seed(0)
    torch.manual_seed(0)
    random.seed(0)
    # make data and training set
    data = make_sines()
    input = torch.from_numpy(data[3:, :-1])
    target = torch.from_numpy(data[3:, 1:])
    test_input = torch.from_numpy(data[:3, :-1])
    test_target = torch.from_numpy(data[:3, 1:])
    # build the model
    seq = Sequence()
    seq.double()
    criterion = nn.MSELoss()
    # use LBFGS as optimizer since we can load the whole data to train
    optimizer = optim.LBFGS(seq.parameters(), lr=0.8, max_iter=4)
    # begin to train
    for i in range(opt.steps):
        print('STEP: ', i)

        def closure():
            optimizer.zero_grad()
            out = seq(input)
            loss = criterion(out, target)
            print('loss:', loss.item())
            loss.backward()
            return loss
        optimizer.step(closure)
        # begin to predict, no need to track gradient here
        with torch.no_grad():
            future = 10
            pred = seq(test_input, future=future)
            loss = criterion(pred[:, :-future], test_target)
            print('test loss:', loss.item())
            y = pred.detach().numpy()
        last = y[0][input.size(1):]
        print(last.shape)

    # the second model
    t = np.arange(200)
    series = np.stack([np.sin(t / 7), np.cos(t / 5), 0.01 * t], axis=1) + 0.1 * np.random.randn(200, 3)
    split = int(len(series) * 0.8)
    scaler = StandardScaler().fit(series[:split])
    X_train, y_train = windows(scaler.transform(series[:split]), 24, 6)
    X_test, y_test = windows(scaler.transform(series[split:]), 24, 6)
    X_train, y_train = torch.tensor(X_train, dtype=torch.float32), torch.tensor(y_train, dtype=torch.float32)
    X_test, y_test = (torch.tensor(a, dtype=torch.float32) for a in (X_test, y_test))
    model = Seq2Seq(channels=series.shape[1], hidden=16, horizon=6)
    adam = optim.Adam(model.parameters(), lr=1e-2)
    sched = optim.lr_scheduler.OneCycleLR(adam, max_lr=1e-2, total_steps=6)
    for epoch in range(2):
        perm = torch.randperm(X_train.size(0))
        for k in range(0, 96, 32):
            idx = perm[k:k + 32]
            xb, yb = X_train[idx], y_train[idx]
            out = model(xb, yb, teacher=0.5 if epoch == 0 else 0.0)
            loss = quantile_loss(out, yb) + criterion(out, yb)
            adam.zero_grad()
            loss.backward()
            adam.step()
            sched.step()
    with torch.no_grad():
        forecast = model(X_test)
        errors = (forecast - y_test).abs().mean(dim=(0, 2))
        restored = scaler.inverse(forecast)
    naive = X_test[:, -1:].expand_as(y_test)
    mase = errors / (naive - y_test).abs().mean(dim=(0, 2))
    print(errors.tolist(), restored.dtype, mase)
