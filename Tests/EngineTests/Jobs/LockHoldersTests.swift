import EmbeddedPostgres
import Engine
import Postgres
import TestSupport
import Testing

@Suite("Who holds a lock") struct LockHoldersTests {
  @Test func `a prepared transaction that holds a lock is named, a session by its process`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off", "max_prepared_transactions": "5"])
    let options = ConnectionOptions(url: cluster.url(), applicationName: "tests")
    let (holder, waiter) = (try await Connection.connect(options), try await Connection.connect(options))
    let watcher = try await Connection.connect(options)
    try await holder.script("CREATE TABLE public.t (a int); INSERT INTO public.t VALUES (1)")
    try await holder.script("BEGIN; UPDATE public.t SET a = 2; PREPARE TRANSACTION 'left behind'")
    let pid = try await waiter.query("SELECT pg_backend_pid()").one(Int32.self)
    let waiting = Task { try await waiter.execute("UPDATE public.t SET a = 3") }
    @Sendable func holders(_ pids: Statement) async throws -> String {
      try await watcher.query("SELECT coalesce((\(fragment: LockHolders.named(pids))), 'nobody')").one(String.self)
    }
    try await untilTrue("the wait") { try await holders("pg_blocking_pids(\(pid))") != "nobody" }
    #expect(try await holders("pg_blocking_pids(\(pid))") == "a prepared transaction (left behind)")
    try await watcher.script("ROLLBACK PREPARED 'left behind'")
    _ = try await waiting.value
    #expect(try await holders("pg_blocking_pids(\(pid))") == "nobody")
    #expect(try await holders("ARRAY[4711, 0, 0]") == "back end 4711, a prepared transaction")
    for connection in [holder, waiter, watcher] { await connection.close() }
    await cluster.stop()
  }
}
