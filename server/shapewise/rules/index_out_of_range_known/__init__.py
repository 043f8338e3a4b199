"""An index, a token or a class beyond the end, where its value is known."""

from .rule import check as check
