import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct ReplicationTests {
  /// A cluster whose commits wait for a standby that is not there, as they do when it was stopped.
  private func cluster() async throws -> (EmbeddedPostgres, owner: Connection) {
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off"])
    let owner = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await owner.script("CREATE TABLE public.t (a int); CREATE TABLE public.probe (a int)")
    try await demandStandby("stopped", owner, cluster)
    return (cluster, owner)
  }

  /// Until commits wait for the standby, or none: the server's checkpointer tells them in its own time.
  private func demandStandby(_ name: String, _ owner: Connection, _ cluster: EmbeddedPostgres) async throws {
    try await owner.script("SET synchronous_commit = local")
    try await owner.execute("ALTER SYSTEM SET synchronous_standby_names = '\(raw: name)'")
    try await owner.execute("SELECT pg_reload_conf()")
    try await eventually("the server did not read its settings") {
      let probe = try await impatient(cluster)
      let isConfirmed = (try? await probe.execute("INSERT INTO public.probe VALUES (1)")) != nil
      await probe.close()
      return isConfirmed == name.isEmpty
    }
  }

  private func impatient(_ cluster: EmbeddedPostgres) async throws -> Connection {
    var options = ConnectionOptions(url: cluster.url())
    options.statementTimeout = .milliseconds(200)
    return try await Connection.connect(options)
  }

  @Test func `a commit that no standby confirms is not taken as committed, and its connection is closed`() async throws
  {
    let (cluster, owner) = try await cluster()
    let connection = try await impatient(cluster)
    let error = try await failure {
      try await connection.transaction { try await $0.execute("INSERT INTO public.t VALUES (1)") }
    }
    #expect(error.verdict == .connection)
    #expect(error.message.contains("whether the transaction was committed is unknown"))
    #expect(await !connection.isUsable)
    #expect(try await owner.query("SELECT FROM public.t").count == 1)
    await cluster.stop()
  }

  @Test func `a statement or script that commits implicitly is judged alike`() async throws {
    let (cluster, owner) = try await cluster()
    let connection = try await impatient(cluster)
    #expect(
      try await failure { try await connection.execute("INSERT INTO public.t VALUES (1)") }.verdict == .connection)
    #expect(await !connection.isUsable)
    let other = try await impatient(cluster)
    #expect(try await failure { try await other.script("INSERT INTO public.t VALUES (2)") }.verdict == .connection)
    #expect(await !other.isUsable)
    #expect(try await owner.query("SELECT FROM public.t").count == 2)
    await cluster.stop()
  }

  @Test func `commits with a standby that confirms again are committed`() async throws {
    let (cluster, owner) = try await cluster()
    _ = try await failure { try await impatient(cluster).execute("INSERT INTO public.t VALUES (1)") }
    try await demandStandby("", owner, cluster)
    let connection = try await impatient(cluster)
    try await connection.transaction { try await $0.execute("INSERT INTO public.t VALUES (2)") }
    #expect(await connection.isUsable)
    #expect(try await owner.query("SELECT FROM public.t").count == 2)
    await cluster.stop()
  }
}
