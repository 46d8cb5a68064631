// Safe, async, typed access to PostgreSQL through libpq.
//
// A `Statement` holds text and binds, and a value never becomes text. A `Session` (`Connection`, `Transaction`) runs
// statements; a `Pool` lends connections; a `Listener` hears NOTIFY. Values and results are binary.
//
// It must never know a table, a job or a policy of the daemon, and must never block a thread of the shared pool:
// libpq's blocking calls (connect, cancel) have threads of their own, everything else waits for the socket.
//
// It fails with `PostgresError` only. A lost connection is closed at once and throws its reason at each use; nothing is
// repeated in silence, except a statement outside of a transaction that must be prepared again, and a transaction whose
// caller allowed it. An error that the caller's body throws passes through as it is.
