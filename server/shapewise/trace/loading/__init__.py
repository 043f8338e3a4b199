"""`torch.utils.data`: what a `DataLoader` gives of a dataset."""
