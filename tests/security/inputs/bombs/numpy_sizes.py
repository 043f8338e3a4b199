import torch

before = torch.zeros(2, 3)
import numpy as np

np.ones(10**12), np.zeros((10**6, 10**6)), np.full((10**5, 10**5), 1.0), np.arange(10**12), np.arange(0, 1, 1e-12)
np.linspace(0, 1, 10**11), np.eye(10**6), np.tile(np.arange(1000), 10**9), np.repeat(np.arange(1000), 10**9)
np.outer(np.arange(10**6), np.arange(10**6)), np.pad(np.arange(3), 10**11), np.zeros(10, "S1000000000"), np.tri(10**6)
np.arange(10**6)[:, None] + np.arange(10**6)[None], np.meshgrid(*[np.arange(1000)] * 8), np.mgrid[0:1e12], np.mgrid[0:1:1e-12]
np.random.rand(10**10, 10**3), np.random.rand(10**5, 10**4) @ np.random.rand(10**4, 10**5), np.vander(np.arange(10**4), 10**8)
np.indices((10**4,) * 8), np.histogram(np.arange(4), 10**12), np.bincount(np.array([10**12])), np.kron(np.ones((1000, 1000)), np.ones((1000, 1000)))
np.einsum("i,j,k,l->ijkl", *[np.arange(1000)] * 4), np.linalg.svd(np.random.rand(20000, 20000)), np.fft.fft(np.arange(3), 10**12)
np.linalg.matrix_power(np.ones((60, 60)), 10**18), np.resize(np.arange(3), 10**12), np.array([[0] * 10**5] * 10**5), np.hanning(10**12)
np.convolve(np.random.rand(10**6), np.random.rand(10**6)), np.insert(np.arange(3), [0] * 10**6, 1), np.unravel_index(5, (10**18,))
list(np.zeros(10**8)), np.zeros(10**8).tolist(), np.arange(10**5).tolist() * 10**5, np.logspace(0, 1, 10**11), np.triu_indices(10**6)
np.broadcast_to(np.arange(3), (10**12, 3)).copy(), np.broadcast_to(np.arange(3), (10**9, 3)) + 1, np.float64(2) ** 10**9, np.diag(np.arange(10**6))
x = np.arange(60000)
for i in range(10**6):
    x = np.concatenate([x, x])
