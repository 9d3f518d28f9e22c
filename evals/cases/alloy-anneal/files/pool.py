"""Arrays that are made once and handed out again in every run."""
import warp as wp


class Pool:
    """Square fields in the order in which they are asked for.

    A run asks for the same number of fields each time, so after the first run nothing is allocated any more. What is
    handed out still holds old values: whoever takes a field writes all of it.
    """

    def __init__(self, n):
        self.n = n
        self.fields = []
        self.next = 0
        self.most = 0

    def take(self):
        if self.next == len(self.fields):
            self.fields.append(wp.zeros((self.n, self.n), dtype=float, requires_grad=True))
        field = self.fields[self.next]
        self.next += 1
        self.most = max(self.most, self.next)
        return field

    def rewind(self):
        """All fields are free again."""
        self.next = 0

    def __len__(self):
        return len(self.fields)
