import EmbeddedPostgres
import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct ListenerTests {
  /// The backend of the next `.listening`; what comes before it may be `.lost` only.
  private func listening(_ events: inout AsyncStream<Listener.Event>.Iterator) async throws -> Int32 {
    while let event = await events.next() {
      switch event {
      case .listening(let pid): return pid
      case .lost(let error): #expect(error.verdict == .connection, "\(error)")
      case .notification(let note): Issue.record("unexpected \(note)")
      case .refused(let reason): Issue.record("unexpected \(reason)")
      }
    }
    throw CancellationError()
  }

  @Test func `a refused greeting ends the sequence and the connection`() async throws {
    let (database, connection) = try await connected()
    var listener = Listener(options: database.options, channels: ["jobs"])
    listener.greeting = { session async throws(PostgresError) in
      try await session.execute("SET application_name = 'greeted'")
      return "not today"
    }
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .refused("not today"))
    #expect(await events.next() == nil)
    let left: Statement = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'greeted'"
    try await untilTrue("the end of its session") { try await connection.query(left).one(Int64.self) == 0 }
  }

  @Test func `notifications arrive with channel, payload and sender, each once`() async throws {
    let (database, connection) = try await connected()
    let listener = Listener(options: database.options, channels: ["jobs", "Odd \"name\""])
    var events = listener.events.makeAsyncIterator()
    _ = try await listening(&events)
    _ = try await connection.pipeline([
      "SELECT pg_notify('jobs', \("it's"))", #"NOTIFY "Odd ""name""", 'b'"#, "NOTIFY other",
    ])
    try await connection.execute("NOTIFY jobs")
    let pid = connection.backendPID
    #expect(await events.next() == .notification(Notification(channel: "jobs", payload: "it's", pid: pid)))
    #expect(await events.next() == .notification(Notification(channel: "Odd \"name\"", payload: "b", pid: pid)))
    #expect(await events.next() == .notification(Notification(channel: "jobs", payload: "", pid: pid)))
  }

  @Test func `a terminated listener reports it and listens again`() async throws {
    let (database, connection) = try await connected()
    var events = Listener(options: database.options, channels: ["jobs"]).events.makeAsyncIterator()
    let first = try await listening(&events)
    _ = try await connection.query("SELECT pg_terminate_backend(\(first))")
    guard case .lost(let error) = await events.next() else { throw CancellationError() }
    #expect(error.sqlState == "57P01")
    let second = try await listening(&events)
    #expect(second != first)
    try await connection.execute("NOTIFY jobs, 'again'")
    #expect(
      await events.next()
        == .notification(Notification(channel: "jobs", payload: "again", pid: connection.backendPID)))
  }

  @Test func `a listener outlives a restart and a crash of the server`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    var events = Listener(options: ConnectionOptions(url: cluster.url()), channels: ["jobs"]).events.makeAsyncIterator()
    _ = try await listening(&events)
    try await cluster.restart()
    guard case .lost = await events.next() else { throw CancellationError() }
    _ = try await listening(&events)
    try await cluster.kill()
    guard case .lost = await events.next() else { throw CancellationError() }
    try await cluster.resume()
    _ = try await listening(&events)
    let connection = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await connection.execute("NOTIFY jobs, 'back'")
    #expect(
      await events.next() == .notification(Notification(channel: "jobs", payload: "back", pid: connection.backendPID)))
    await cluster.stop()
  }

  @Test func `a silent connection is tested, and kept when it answers`() async throws {
    let (database, connection) = try await connected()
    var events = Listener(options: database.options, channels: ["jobs"], ping: .milliseconds(20)).events
      .makeAsyncIterator()
    let pid = try await listening(&events)
    let start: Statement = "SELECT state_change::text FROM pg_stat_activity WHERE pid = \(pid)"
    let first = try await connection.query(start).one(String.self)
    try await eventually("no round trip") { try await connection.query(start).one(String.self) != first }
    try await connection.execute("NOTIFY jobs")
    #expect(
      await events.next() == .notification(Notification(channel: "jobs", payload: "", pid: connection.backendPID)))
  }

  @Test func `a reader that leaves ends the listener's session`() async throws {
    let (database, connection) = try await connected()
    let pid = try await {
      var events = Listener(options: database.options, channels: ["jobs"]).events.makeAsyncIterator()
      return try await listening(&events)
    }()
    try await eventually("the session remains") {
      try await connection.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid)").isEmpty
    }
  }

  /// The server ends such sessions with a warning, not with an error, and then the socket.
  @Test func `a crash of another server process is noticed at once by waiting and idle sessions`()
    async throws
  {
    let cluster = try await EmbeddedPostgres.start()
    let options = ConnectionOptions(url: cluster.url(database: "postgres"), applicationName: "tests")
    let listener = Listener(options: options, channels: ["jobs"])
    var events = listener.events.makeAsyncIterator()
    _ = try await listening(&events)
    let busy = try await Connection.connect(options)
    let victim = try await Connection.connect(options)
    let slept = Task { await outcome { try await busy.execute("SELECT pg_sleep(300)") } }
    let pid = victim.backendPID
    try await untilTrue("the long statement") {
      try await victim.query("SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(300)'")
        .one(Int64.self) == 1
    }
    #expect(kill(pid, SIGKILL) == 0)
    let said = try await within(.seconds(8), "the end of the statement") { await slept.value }
    #expect(said.contains("crash of another server process") || said.contains("closed"), "\(said)")
    // No probe has been due: it was told.
    guard case .lost(let error) = await events.next() else {
      Issue.record("the listener did not notice")
      return
    }
    #expect(!"\(error)".contains("no answer"), "\(error)")
    await cluster.stop()
  }

  private func outcome(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }
}
