import sys

import torch

from minigpt import GPT, GPTConfig, get_config
from minigpt.data import CharDataset, load_text
from minigpt.trainer import Trainer
from minigpt.utils import CfgNode as CN, set_seed


def sample_config():
    C = CN()
    C.system = CN()
    C.system.seed = 3407
    C.data = CharDataset.get_default_config()
    C.model = CN(model_type='gpt-nano', n_layer=None, n_head=None, n_embd=None, dropout=0.1)
    C.trainer = Trainer.get_default_config()
    C.trainer.learning_rate = 5e-4
    C.trainer.max_iters = 4
    return C


if __name__ == '__main__':
    config = sample_config()
    config.merge_from_args(sys.argv[1:])
    set_seed(config.system.seed)
    train_dataset = CharDataset(config.data, load_text())
    gcfg = get_config(config.model.model_type, vocab_size=train_dataset.get_vocab_size(), block_size=train_dataset.get_block_size())
    model = GPT(gcfg)
    trainer = Trainer(config.trainer, model, train_dataset)

    def batch_end_callback(trainer):
        if trainer.iter_num % 2 == 0:
            print(f"iter {trainer.iter_num}: train loss {trainer.loss.item():.5f}")

    trainer.set_callback('on_batch_end', batch_end_callback)
    trainer.run()
    model.eval()
    with torch.no_grad():
        context = "the "
        x = torch.tensor([train_dataset.stoi[s] for s in context], dtype=torch.long)[None, ...].to(trainer.device)
        y = model.generate(x, 10, temperature=1.0, do_sample=True, top_k=5)[0]
        completion = ''.join([train_dataset.itos[int(i)] for i in y])
        print(completion)
