import torch

from recurrent import CharRNN, DecoderRNN, EncoderRNN, LSTMCellByHand, LSTMClassifier

for batch, length, vocab, emb, hidden, out, layers, both in (
    (8, 20, 100, 32, 24, 2, 2, True),
    (5, 13, 60, 16, 40, 5, 3, False),
    (3, 31, 250, 20, 12, 1, 2, True),
):
    LSTMClassifier(vocab, emb, hidden, out, n_layers=layers, bidirectional=both)(torch.randint(0, vocab, (batch, length)))

for batch, length, words, hidden in ((4, 10, 50, 32), (7, 8, 33, 20), (2, 12, 80, 48)):
    encoder, decoder = EncoderRNN(words, hidden), DecoderRNN(hidden, words + 5, max_length=length)
    source = torch.randint(0, words, (batch, length))
    outputs, state = encoder(source)
    decoder(outputs, state, source)
    decoder(outputs, state)

for batch, steps, chars, hidden, layers in ((4, 25, 65, 32, 1), (6, 17, 30, 20, 2), (3, 40, 90, 48, 3)):
    rnn = CharRNN(chars, hidden, layers)
    rnn(torch.randint(0, chars, (steps, batch)), rnn.init_hidden(batch))

for batch, size, hidden in ((4, 10, 20), (9, 7, 12), (2, 24, 16)):
    cell = LSTMCellByHand(size, hidden)
    cell(torch.randn(batch, size), (torch.zeros(batch, hidden), torch.zeros(batch, hidden)))
