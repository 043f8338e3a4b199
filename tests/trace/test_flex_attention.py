"""Attention that is compiled with functions of the user's: they are not called, and the shape is torch's."""

from __future__ import annotations

from typing import Any

TEXT = """
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def causal(b, h, q_idx, kv_idx):
        return q_idx >= kv_idx

    q = torch.zeros(2, 4, 6, 8)
    k = torch.zeros(2, 2, 10, 8)
    v = torch.zeros(2, 2, 10, 5)
    mask = create_block_mask(causal, None, None, 6, 10)
    out = torch.compile(flex_attention)(q, k, v, block_mask=mask, enable_gqa=True)
    both, lse = flex_attention(q, k, v, enable_gqa=True, return_lse=True)
    """


def test_it_gives_queries_by_the_width_of_the_values(trace: Any) -> None:
    traced = trace(TEXT)
    assert traced.shape("out") == traced.shape("both") == (2, 4, 6, 5)
    assert traced.shape("lse") == (2, 4, 6)


def test_wrap_of_fx_leaves_what_it_wraps(trace: Any) -> None:
    text = """
        import torch
        import torch.fx

        @torch.fx.wrap
        def twice(x):
            return x * 2

        torch.fx.wrap("len")
        out = twice(torch.zeros(3))
        """
    assert trace(text).shape("out") == (3,)
