import random, re, unicodedata
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence

SOS, EOS, PAD = 1, 2, 0
class Lang:
    def __init__(self, name):
        self.name = name
        self.word2index = {"<pad>": 0, "SOS": 1, "EOS": 2}
        self.index2word = {v: k for k, v in self.word2index.items()}
        self.n_words = 3
    def add_sentence(self, s):
        for w in s.split(' '):
            if w not in self.word2index:
                self.word2index[w] = self.n_words
                self.index2word[self.n_words] = w
                self.n_words += 1
def normalize(s):
    s = ''.join(c for c in unicodedata.normalize('NFD', s.lower().strip()) if unicodedata.category(c) != 'Mn')
    s = re.sub(r"([.!?])", r" \1", s)
    return re.sub(r"[^a-zA-Z!?]+", r" ", s).strip()
pairs = [("Je suis là!", "I am here!"), ("Tu es grand", "You are tall"), ("Il court vite", "He runs fast indeed"), ("Nous mangeons", "We eat")]
pairs = [[normalize(a), normalize(b)] for a, b in pairs]
src, tgt = Lang('fra'), Lang('eng')
for a, b in pairs:
    src.add_sentence(a); tgt.add_sentence(b)
def indexes(lang, s): return [lang.word2index[w] for w in s.split(' ')] + [EOS]
class Encoder(nn.Module):
    def __init__(self, n, emb, hid, layers=2, dropout=0.1):
        super().__init__()
        self.embedding = nn.Embedding(n, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, num_layers=layers, bidirectional=True, dropout=dropout, batch_first=True)
        self.fc = nn.Linear(hid * 2, hid)
        self.dropout = nn.Dropout(dropout)
    def forward(self, x, lengths):
        embedded = self.dropout(self.embedding(x))
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, hidden = self.rnn(packed)
        outputs, out_lens = pad_packed_sequence(outputs, batch_first=True)
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1)))
        return outputs, hidden
class Attention(nn.Module):
    def __init__(self, hid):
        super().__init__()
        self.attn = nn.Linear(hid * 3, hid)
        self.v = nn.Linear(hid, 1, bias=False)
    def forward(self, hidden, enc, mask):
        L = enc.shape[1]
        hidden = hidden.unsqueeze(1).repeat(1, L, 1)
        energy = torch.tanh(self.attn(torch.cat((hidden, enc), dim=2)))
        attention = self.v(energy).squeeze(2)
        attention = attention.masked_fill(mask == 0, -1e10)
        return torch.softmax(attention, dim=1)
class Decoder(nn.Module):
    def __init__(self, n, emb, hid, attention):
        super().__init__()
        self.output_dim, self.attention = n, attention
        self.embedding = nn.Embedding(n, emb)
        self.rnn = nn.GRUCell(hid * 2 + emb, hid)
        self.fc_out = nn.Linear(hid * 3 + emb, n)
    def forward(self, inp, hidden, enc, mask):
        e = self.embedding(inp)
        a = self.attention(hidden, enc, mask).unsqueeze(1)
        weighted = torch.bmm(a, enc).squeeze(1)
        hidden = self.rnn(torch.cat((e, weighted), dim=1), hidden)
        pred = self.fc_out(torch.cat((hidden, weighted, e), dim=1))
        return pred, hidden, a.squeeze(1)
class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
    def create_mask(self, src): return (src != PAD)
    def forward(self, src, lens, trg, teacher_forcing_ratio=0.5):
        B, T = trg.shape
        outputs = torch.zeros(B, T, self.decoder.output_dim, device=src.device)
        enc, hidden = self.encoder(src, lens)
        inp = trg[:, 0]
        mask = self.create_mask(src)
        for t in range(1, T):
            output, hidden, _ = self.decoder(inp, hidden, enc, mask)
            outputs[:, t] = output
            teacher_force = random.random() < teacher_forcing_ratio
            top1 = output.argmax(1)
            inp = trg[:, t] if teacher_force else top1
        return outputs
def init_weights(m):
    for name, param in m.named_parameters():
        if 'weight' in name:
            nn.init.normal_(param.data, mean=0, std=0.01)
        else:
            nn.init.constant_(param.data, 0)
srcs = [torch.tensor(indexes(src, p[0])) for p in pairs]
trgs = [torch.tensor([SOS] + indexes(tgt, p[1])) for p in pairs]
lens = torch.tensor([len(s) for s in srcs])
S = pad_sequence(srcs, batch_first=True, padding_value=PAD)
Tt = pad_sequence(trgs, batch_first=True, padding_value=PAD)
model = Seq2Seq(Encoder(src.n_words, 8, 16), Decoder(tgt.n_words, 8, 16, Attention(16)))
model.apply(init_weights)
opt = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
for epoch in range(2):
    opt.zero_grad()
    output = model(S, lens, Tt)
    od = output.shape[-1]
    output = output[:, 1:].reshape(-1, od)
    trg = Tt[:, 1:].reshape(-1)
    loss = criterion(output, trg)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    opt.step()
model.eval()
with torch.no_grad():
    enc, hidden = model.encoder(S[:1], lens[:1])
    tok = torch.tensor([SOS])
    words, attns = [], torch.zeros(10, enc.shape[1])
    for i in range(10):
        pred, hidden, a = model.decoder(tok, hidden, enc, torch.ones(1, enc.shape[1]))
        attns[i] = a[0]
        topv, topi = pred.topk(1)
        if topi.item() == EOS:
            break
        words.append(tgt.index2word[topi.item()])
        tok = topi.squeeze(1).detach()
    attns = attns[:len(words)]
