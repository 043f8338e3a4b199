"""What is not known, of values, tensors, containers and texts; and what is known of it all the same."""
