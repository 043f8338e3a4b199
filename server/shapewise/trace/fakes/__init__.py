"""What fake tensors do not do, or do otherwise than real ones."""
