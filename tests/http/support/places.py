"""Where the nodes of a GLB are, at rest or at a time of its first clip. Matrices are column-major lists of 16."""

PATHS = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}


def transform(m, v):
    return [m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] for i in range(3)]


def inverse(m):
    """Of a matrix whose last row is 0 0 0 1."""
    a, b, c, o = m[0:3], m[4:7], m[8:11], m[12:15]

    def cross(x, y):
        return [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]

    rows = cross(b, c), cross(c, a), cross(a, b)
    determinant = sum(x * y for x, y in zip(a, rows[0]))
    rows = [[x / determinant for x in row] for row in rows]
    place = [-sum(x * y for x, y in zip(row, o)) for row in rows]
    return [n for k in range(3) for n in (rows[0][k], rows[1][k], rows[2][k], 0)] + place + [1]


def worlds(root, binary, t=None):
    """By name; t None: at rest."""
    from test_bodies import compose, multiply, sample
    parts = [{path: node.get(path, value) for path, value in PATHS.items()} for node in root["nodes"]]
    if t is not None:
        animation = root["animations"][0]
        for channel in animation["channels"]:
            path = channel["target"]["path"]
            if path in PATHS:
                sampler = animation["samplers"][channel["sampler"]]
                parts[channel["target"]["node"]][path] = sample(root, binary, sampler, path, t)
    found = {}

    def place(node, above):
        matrix = multiply(above, compose(*(parts[node][path] for path in PATHS)))
        found[root["nodes"][node].get("name")] = matrix
        for child in root["nodes"][node].get("children", ()):
            place(child, matrix)

    for node in root["scenes"][0]["nodes"]:
        place(node, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    return found
