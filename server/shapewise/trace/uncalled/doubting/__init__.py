"""What would be otherwise where something is otherwise that nothing settles."""
