"""What only data decides, given several of the values that it may have; what is equal in all of these."""
