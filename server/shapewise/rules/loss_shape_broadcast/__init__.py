"""A column against a row: predictions `(N, 1)` and targets `(N,)` give `(N, N)`, and the loss means nothing."""

from .rule import check as check
