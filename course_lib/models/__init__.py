"""Whole models, put together from `mechanisms`."""
