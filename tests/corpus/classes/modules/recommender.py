"""Recommenders."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class FactorizationMachine(nn.Module):
    def __init__(self, reduce_sum=True):
        super().__init__()
        self.reduce_sum = reduce_sum

    def forward(self, x):
        square_of_sum = torch.sum(x, dim=1) ** 2
        sum_of_square = torch.sum(x**2, dim=1)
        ix = square_of_sum - sum_of_square
        if self.reduce_sum:
            ix = torch.sum(ix, dim=1, keepdim=True)
        return 0.5 * ix


class FeaturesLinear(nn.Module):
    def __init__(self, num_features, output_dim=1):
        super().__init__()
        self.fc = nn.Embedding(num_features, output_dim)
        self.bias = nn.Parameter(torch.zeros((output_dim,)))

    def forward(self, x):
        return torch.sum(self.fc(x), dim=1) + self.bias


class MultiLayerPerceptron(nn.Module):
    def __init__(self, input_dim, embed_dims, dropout, output_layer=True):
        super().__init__()
        layers = list()
        for embed_dim in embed_dims:
            layers.append(nn.Linear(input_dim, embed_dim))
            layers.append(nn.BatchNorm1d(embed_dim))
            layers.append(nn.ReLU())
            layers.append(nn.Dropout(p=dropout))
            input_dim = embed_dim
        if output_layer:
            layers.append(nn.Linear(input_dim, 1))
        self.mlp = nn.Sequential(*layers)

    def forward(self, x):
        return self.mlp(x)


class DeepFM(nn.Module):
    def __init__(self, field_dims, embed_dim, mlp_dims, dropout=0.2):
        super().__init__()
        self.linear = FeaturesLinear(sum(field_dims))
        self.fm = FactorizationMachine(reduce_sum=True)
        self.embedding = nn.Embedding(sum(field_dims), embed_dim)
        self.embed_output_dim = len(field_dims) * embed_dim
        self.mlp = MultiLayerPerceptron(self.embed_output_dim, mlp_dims, dropout)

    def forward(self, x):
        embed_x = self.embedding(x)
        x = self.linear(x) + self.fm(embed_x) + self.mlp(embed_x.view(-1, self.embed_output_dim))
        return torch.sigmoid(x.squeeze(1))


class MatrixFactorization(nn.Module):
    def __init__(self, n_users, n_items, n_factors=20):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, n_factors)
        self.item_factors = nn.Embedding(n_items, n_factors)
        self.user_biases = nn.Embedding(n_users, 1)
        self.item_biases = nn.Embedding(n_items, 1)

    def forward(self, user, item):
        pred = self.user_biases(user) + self.item_biases(item)
        pred += (self.user_factors(user) * self.item_factors(item)).sum(dim=1, keepdim=True)
        return pred.squeeze()


class NeuMF(nn.Module):
    def __init__(self, user_num, item_num, factor_num, num_layers=2, dropout=0.0):
        super().__init__()
        self.embed_user_GMF = nn.Embedding(user_num, factor_num)
        self.embed_item_GMF = nn.Embedding(item_num, factor_num)
        self.embed_user_MLP = nn.Embedding(user_num, factor_num * (2 ** (num_layers - 1)))
        self.embed_item_MLP = nn.Embedding(item_num, factor_num * (2 ** (num_layers - 1)))
        modules = []
        for i in range(num_layers):
            input_size = factor_num * (2 ** (num_layers - i))
            modules.append(nn.Dropout(p=dropout))
            modules.append(nn.Linear(input_size, input_size // 2))
            modules.append(nn.ReLU())
        self.MLP_layers = nn.Sequential(*modules)
        self.predict_layer = nn.Linear(factor_num * 2, 1)

    def forward(self, user, item):
        embed_user_GMF = self.embed_user_GMF(user)
        embed_item_GMF = self.embed_item_GMF(item)
        output_GMF = embed_user_GMF * embed_item_GMF
        embed_user_MLP = self.embed_user_MLP(user)
        embed_item_MLP = self.embed_item_MLP(item)
        interaction = torch.cat((embed_user_MLP, embed_item_MLP), -1)
        output_MLP = self.MLP_layers(interaction)
        concat = torch.cat((output_GMF, output_MLP), -1)
        prediction = self.predict_layer(concat)
        return prediction.view(-1)


class CrossNetwork(nn.Module):
    def __init__(self, input_dim, num_layers):
        super().__init__()
        self.num_layers = num_layers
        self.w = nn.ModuleList([nn.Linear(input_dim, 1, bias=False) for _ in range(num_layers)])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros((input_dim,))) for _ in range(num_layers)])

    def forward(self, x):
        x0 = x
        for i in range(self.num_layers):
            xw = self.w[i](x)
            x = x0 * xw + self.b[i] + x
        return x


class TwoTower(nn.Module):
    def __init__(self, user_features, item_features, dim, temperature=0.1):
        super().__init__()
        self.user_tower = nn.Sequential(nn.Linear(user_features, dim * 2), nn.ReLU(), nn.Linear(dim * 2, dim))
        self.item_tower = nn.Sequential(nn.Linear(item_features, dim * 2), nn.ReLU(), nn.Linear(dim * 2, dim))
        self.temperature = temperature

    def forward(self, users, items):
        u = F.normalize(self.user_tower(users), dim=-1)
        v = F.normalize(self.item_tower(items), dim=-1)
        logits = u @ v.t() / self.temperature
        labels = torch.arange(logits.size(0), device=logits.device)
        loss = F.cross_entropy(logits, labels)
        return loss, logits


class SASRecBlock(nn.Module):
    def __init__(self, hidden_units, num_heads, dropout_rate=0.1):
        super().__init__()
        self.attention_layernorm = nn.LayerNorm(hidden_units, eps=1e-8)
        self.attention_layer = nn.MultiheadAttention(hidden_units, num_heads, dropout_rate)
        self.forward_layernorm = nn.LayerNorm(hidden_units, eps=1e-8)
        self.conv1 = nn.Conv1d(hidden_units, hidden_units, kernel_size=1)
        self.conv2 = nn.Conv1d(hidden_units, hidden_units, kernel_size=1)

    def forward(self, seqs):
        seqs = torch.transpose(seqs, 0, 1)
        Q = self.attention_layernorm(seqs)
        tl = seqs.shape[0]
        attention_mask = ~torch.tril(torch.ones((tl, tl), dtype=torch.bool))
        mha_outputs, _ = self.attention_layer(Q, seqs, seqs, attn_mask=attention_mask)
        seqs = Q + mha_outputs
        seqs = torch.transpose(seqs, 0, 1)
        seqs = self.forward_layernorm(seqs)
        outputs = self.conv2(torch.relu(self.conv1(seqs.transpose(-1, -2))))
        outputs = outputs.transpose(-1, -2)
        return seqs + outputs


class DLRMInteraction(nn.Module):
    def __init__(self, num_dense, num_tables, table_size, dim):
        super().__init__()
        self.bottom = nn.Linear(num_dense, dim)
        self.tables = nn.ModuleList([nn.EmbeddingBag(table_size, dim, mode="sum") for _ in range(num_tables)])
        self.top = nn.Linear(dim + (num_tables + 1) * num_tables // 2, 1)

    def forward(self, dense_x, lS_i):
        x = torch.relu(self.bottom(dense_x))
        ly = [table(lS_i[:, k].unsqueeze(1)) for k, table in enumerate(self.tables)]
        (batch_size, d) = x.shape
        T = torch.cat([x] + ly, dim=1).view((batch_size, -1, d))
        Z = torch.bmm(T, torch.transpose(T, 1, 2))
        _, ni, nj = Z.shape
        li = torch.tensor([i for i in range(ni) for j in range(i)])
        lj = torch.tensor([j for i in range(nj) for j in range(i)])
        Zflat = Z[:, li, lj]
        R = torch.cat([x] + [Zflat], dim=1)
        return torch.sigmoid(self.top(R))
