"""Cosines of vectors that were made one long along another dim than the product sums over."""

from .rule import check as check
