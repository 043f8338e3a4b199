import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader
from io import StringIO
import csv

rng = np.random.default_rng(11)
lines = ["userId,movieId,rating,timestamp"]
for _ in range(400):
    u, m = rng.integers(1, 31), rng.integers(100, 150)
    lines.append(f"{u},{m},{rng.integers(1, 11) / 2},{rng.integers(10**9)}")
TEXT = "\n".join(lines)

rows = list(csv.DictReader(StringIO(TEXT)))
user_ids = sorted({r["userId"] for r in rows})
movie_ids = sorted({r["movieId"] for r in rows})
user2user_encoded = {x: i for i, x in enumerate(user_ids)}
movie2movie_encoded = {x: i for i, x in enumerate(movie_ids)}
users = np.array([user2user_encoded[r["userId"]] for r in rows])
movies = np.array([movie2movie_encoded[r["movieId"]] for r in rows])
ratings = np.array([float(r["rating"]) for r in rows], dtype=np.float32)
num_users, num_movies = len(user_ids), len(movie_ids)
min_rating, max_rating = ratings.min(), ratings.max()
targets = (ratings - min_rating) / (max_rating - min_rating)


class RatingsDataset(Dataset):
    def __init__(self, users, movies, targets):
        self.users = torch.as_tensor(users, dtype=torch.long)
        self.movies = torch.as_tensor(movies, dtype=torch.long)
        self.targets = torch.as_tensor(targets)

    def __len__(self):
        return self.users.shape[0]

    def __getitem__(self, i):
        return self.users[i], self.movies[i], self.targets[i]


n_train = int(0.9 * len(targets))
perm = rng.permutation(len(targets))
train_idx, val_idx = perm[:n_train], perm[n_train:]
train_loader = DataLoader(RatingsDataset(users[train_idx], movies[train_idx], targets[train_idx]), batch_size=64, shuffle=True)
val_set = RatingsDataset(users[val_idx], movies[val_idx], targets[val_idx])


class RecommenderNet(nn.Module):
    def __init__(self, num_users, num_movies, embedding_size=16):
        super().__init__()
        self.user_embedding = nn.Embedding(num_users, embedding_size)
        self.user_bias = nn.Embedding(num_users, 1)
        self.movie_embedding = nn.Embedding(num_movies, embedding_size)
        self.movie_bias = nn.Embedding(num_movies, 1)
        self.mu = nn.Parameter(torch.zeros(1))
        for emb in (self.user_embedding, self.movie_embedding):
            nn.init.normal_(emb.weight, std=0.05)

    def forward(self, users, movies):
        user_vector = self.user_embedding(users)
        user_bias = self.user_bias(users).squeeze(-1)
        movie_vector = self.movie_embedding(movies)
        movie_bias = self.movie_bias(movies).squeeze(-1)
        dot_user_movie = (user_vector * movie_vector).sum(dim=-1)
        x = dot_user_movie + user_bias + movie_bias + self.mu
        return torch.sigmoid(x)

    def recommend(self, user, k=5, seen=None):
        user = torch.tensor([user])
        scores = self.user_embedding(user) @ self.movie_embedding.weight.T + self.movie_bias.weight.T
        scores = scores.squeeze(0)
        if seen is not None:
            scores[seen] = -float("inf")
        best = scores.topk(k)
        return best.indices, best.values


class NeuMF(nn.Module):
    def __init__(self, num_users, num_movies, mf_dim=8, layers=(32, 16, 8)):
        super().__init__()
        self.mf_u, self.mf_i = nn.Embedding(num_users, mf_dim), nn.Embedding(num_movies, mf_dim)
        self.mlp_u, self.mlp_i = nn.Embedding(num_users, layers[0] // 2), nn.Embedding(num_movies, layers[0] // 2)
        mlp = []
        for a, b in zip(layers[:-1], layers[1:]):
            mlp += [nn.Linear(a, b), nn.ReLU()]
        self.mlp = nn.Sequential(*mlp)
        self.out = nn.Linear(mf_dim + layers[-1], 1)

    def forward(self, u, i):
        mf = self.mf_u(u) * self.mf_i(i)
        mlp = self.mlp(torch.cat([self.mlp_u(u), self.mlp_i(i)], dim=1))
        return torch.sigmoid(self.out(torch.cat([mf, mlp], dim=1))).view(-1)


def fit(model, epochs=2):
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-5)
    lossf = nn.BCELoss()
    for epoch in range(epochs):
        model.train()
        seen, total = 0, 0.0
        for u, m, t in train_loader:
            p = model(u, m)
            loss = lossf(p, t)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(t)
            seen += len(t)
        model.eval()
        with torch.no_grad():
            u, m, t = val_set[:]
            p = model(u, m)
            rmse = ((p - t) ** 2).mean().sqrt() * float(max_rating - min_rating)
        print(f"{type(model).__name__} {epoch}: {total / seen:.4f} rmse {rmse:.3f}")
    return model


mf = fit(RecommenderNet(num_users, num_movies))
fit(NeuMF(num_users, num_movies))
watched = torch.from_numpy(np.unique(movies[users == 3]))
top, scores = mf.recommend(3, k=4, seen=watched)
print([movie_ids[j] for j in top.tolist()], scores)
W = mf.movie_embedding.weight.detach()
Wn = W / W.norm(dim=1, keepdim=True)
sim = Wn @ Wn.t()
sim.fill_diagonal_(-1)
nearest = sim.argmax(dim=1)
u_, s_, v_ = torch.pca_lowrank(W, q=2)
coords = W @ v_[:, :2]
print(nearest.shape, coords.mean(0))
