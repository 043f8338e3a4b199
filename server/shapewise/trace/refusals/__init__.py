"""What torch refuses: in whose words, whether real tensors agree, and what the trace goes on with."""
