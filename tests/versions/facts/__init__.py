"""Small Warp programs, grouped by subject; each function returns whether the gradient came out right.

They run in the interpreter under test, which has Warp and numpy only.
"""
