"""Name the cause of a wrong gradient, and prove it: undo it at run time, and the numbers must agree."""
