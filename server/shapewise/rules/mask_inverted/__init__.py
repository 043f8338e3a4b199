"""Boolean masks whose True means the opposite of what the op that is given them takes it for."""

from .rule import check as check
