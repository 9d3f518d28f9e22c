"""Record what a Warp program does: every operation that moves data, and what backward does with it.

Runs inside the user's interpreter, so this package imports the standard library, numpy and warp alone.
"""
