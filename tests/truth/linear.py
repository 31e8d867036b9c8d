"""Gauss' elimination with exchanges of rows, for numbers of any kind."""


class Singular(Exception):
    pass


def solve(A, columns):
    """Solves A X = columns, where columns is a list of rows of right-hand sides."""
    size = len(A)
    rows = [list(a) + list(b) for a, b in zip(A, columns)]
    for k in range(size):
        best = max(range(k, size), key=lambda i: abs(rows[i][k]))
        if not rows[best][k]:
            raise Singular()
        rows[k], rows[best] = rows[best], rows[k]
        pivot = rows[k]
        for row in rows[k + 1 :]:
            if row[k]:
                factor = row[k] / pivot[k]
                for j in range(k, len(pivot)):
                    row[j] -= factor * pivot[j]
    for k in reversed(range(size)):
        pivot = rows[k]
        for j in range(size, len(pivot)):
            pivot[j] = pivot[j] / pivot[k]
            for row in rows[:k]:
                row[j] -= row[k] * pivot[j]
    return [row[size:] for row in rows]


def solve_vector(A, b):
    return [row[0] for row in solve(A, [[value] for value in b])]


def inverse(A):
    size = len(A)
    return solve(A, [[1 if i == j else 0 for j in range(size)] for i in range(size)])
