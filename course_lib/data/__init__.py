"""Text to train on, and how batches are cut from it."""
