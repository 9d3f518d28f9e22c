"""Runs programs: the worker on our side, the child in the user's interpreter."""
