# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import os
import tempfile

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(0)
n = 300
path = os.path.join(tempfile.mkdtemp(), "train.csv")
pd.DataFrame(
    {
        "PassengerId": np.arange(1, n + 1),
        "Survived": rng.integers(0, 2, n),
        "Pclass": rng.integers(1, 4, n),
        "Sex": rng.choice(["male", "female"], n),
        "Age": np.where(rng.random(n) < 0.2, np.nan, rng.normal(30, 12, n)),
        "SibSp": rng.integers(0, 4, n),
        "Fare": rng.exponential(30, n),
        "Embarked": rng.choice(["S", "C", "Q"], n),
    }
).to_csv(path, index=False)

df = pd.read_csv(path)
df["Age"] = df["Age"].fillna(df["Age"].median())
df["Sex"] = df["Sex"].map({"male": 0, "female": 1})
le = LabelEncoder()
df["Embarked"] = le.fit_transform(df["Embarked"])
df["FamilySize"] = df["SibSp"] + 1
df = df.drop(["PassengerId"], axis=1)

X = df.drop("Survived", axis=1).values
y = df["Survived"].values
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=42, stratify=y)
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
X_val = scaler.transform(X_val)


class TitanicDataset(Dataset):
    def __init__(self, X, y):
        self.X = torch.tensor(X, dtype=torch.float32)
        self.y = torch.tensor(y, dtype=torch.float32)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        return self.X[i], self.y[i]


class Net(nn.Module):
    def __init__(self, in_dim):
        super().__init__()
        self.fc1 = nn.Linear(in_dim, 64)
        self.bn1 = nn.BatchNorm1d(64)
        self.fc2 = nn.Linear(64, 32)
        self.out = nn.Linear(32, 1)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        x = F.relu(self.bn1(self.fc1(x)))
        x = self.drop(x)
        x = F.relu(self.fc2(x))
        return self.out(x)


train_dl = DataLoader(TitanicDataset(X_train, y_train), batch_size=32, shuffle=True)
val_dl = DataLoader(TitanicDataset(X_val, y_val), batch_size=32)
model = Net(X_train.shape[1])
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    model.train()
    total = 0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        logits = model(xb).squeeze(1)
        loss = criterion(logits, yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * xb.size(0)
    model.eval()
    correct = 0
    with torch.no_grad():
        for xb, yb in val_dl:
            preds = torch.sigmoid(model(xb)).squeeze(1)
            correct += ((preds > 0.5).float() == yb).sum().item()
    print(epoch, total / len(train_dl.dataset), correct / len(X_val))
test_tensor = torch.FloatTensor(X_val[:5])
probs = torch.sigmoid(model(test_tensor)).detach().numpy().flatten()
submission = pd.DataFrame({"PassengerId": range(5), "Survived": (probs > 0.5).astype(int)})
print(submission)
