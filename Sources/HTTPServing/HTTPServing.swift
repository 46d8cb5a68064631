// Listening sockets and the HTTP/1.1 that is spoken on them, for the daemon and for the gateway.
//
// An `HTTPServer` serves `Site`s: each a socket (made at a path, at an address, or inherited), a `RequestHandler`, and
// limits. A handler decides from a request's head: an answer at once, or work that wants the body.
//
// It must never know a route, a level or a database. It fails only when it starts; afterwards a client that is slow,
// silent, hostile or gone costs what the limits say, and others are served.
