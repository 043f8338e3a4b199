import numpy as np
import torch
from torch.utils.data import Dataset


class ShapesDataset(Dataset):
    SIZE = 32

    def __init__(self, length, classes, seed=0):
        self.length, self.classes, self.seed = length, classes, seed

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        rng = np.random.RandomState(self.seed * 1000 + index)
        image = rng.rand(self.SIZE, self.SIZE, 3).astype("float32")
        mask = np.zeros((self.SIZE, self.SIZE), dtype="int64")
        for c in range(1, self.classes):
            y, x = rng.randint(0, self.SIZE - 8, size=2)
            mask[y:y + 8, x:x + 8] = c
            image[y:y + 8, x:x + 8] += c
        image = (image - image.mean()) / image.std()
        return {"image": torch.from_numpy(image).permute(2, 0, 1), "mask": torch.from_numpy(mask), "id": f"img_{index}"}
