"""Scores what was handed in; one module for each part, `total` puts them together."""
