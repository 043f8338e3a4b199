"""Weights that add up to one along another dim than the one they are summed over, or chosen from."""

from .rule import check as check
