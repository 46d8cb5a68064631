// What the tests share: a private cluster, and a database of its own for each test.
