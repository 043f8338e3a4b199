"""How rules tell what they found: their pages, their findings, one for each mistake."""
