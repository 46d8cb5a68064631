import EmbeddedPostgres
import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct EmbeddedPostgresTests {
  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test func `an embedded cluster starts with its settings, and stops without a process or directory left`()
    async throws
  {
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off", "work_mem": "7MB"])
    let connection = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    let names = ["work_mem", "fsync", "listen_addresses", "TimeZone", "server_encoding"]
    let values = try await connection.query(
      "SELECT array_agg(current_setting(name) ORDER BY n) FROM unnest(\(names)) WITH ORDINALITY AS _ (name, n)"
    ).one([String].self)
    #expect(values == ["7MB", "off", "", "UTC", "UTF8"])
    #expect(exists(cluster.directory))
    await cluster.stop()
    #expect(!exists(cluster.directory))
    #expect(kill(connection.backendPID, 0) != 0)
    await cluster.stop()
    await #expect(throws: EmbeddedPostgresError.self) { try await cluster.restart() }
  }

  @Test func `committed rows survive a crash of the server`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off"])
    let options = ConnectionOptions(url: cluster.url())
    try await Connection.connect(options).script("CREATE TABLE public.t (a int); INSERT INTO public.t VALUES (1)")
    try await cluster.kill()
    #expect(try await failure { try await Connection.connect(options) }.verdict == .connection)
    try await cluster.resume()
    #expect(try await Connection.connect(options).query("SELECT 1 FROM public.t").count == 1)
    try await cluster.kill()
    await cluster.stop()
    #expect(!exists(cluster.directory))
  }

  @Test func `a setting that the server refuses is an error with its words, and nothing is left`() async throws {
    let directory = "/tmp/settled-test-\(getpid())-refused"
    let error = try #require(
      await #expect(throws: EmbeddedPostgresError.self) {
        _ = try await EmbeddedPostgres.start(settings: ["no_such_setting": "1"], directory: directory)
      })
    #expect(error.code == .failed)
    #expect(error.message.contains("no_such_setting"))
    #expect(!exists(directory))
  }

  @Test func `a directory that exists is refused and kept`() async throws {
    let directory = "/tmp/settled-test-\(getpid())-kept"
    try #require(mkdir(directory, 0o700) == 0)
    defer { rmdir(directory) }
    await #expect(throws: EmbeddedPostgresError.self) { _ = try await EmbeddedPostgres.start(directory: directory) }
    #expect(exists(directory))
  }

  @Test(.enabled(if: geteuid() == 0, "only root has files that the server's user may not write"))
  func `a log that the server's user replaced by a link is not written with root's rights`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off"])
    let roots = "/tmp/settled-test-\(getpid())-roots"
    close(open(roots, O_WRONLY | O_CREAT | O_EXCL, 0o600))
    defer { unlink(roots) }
    try await cluster.pause()
    unlink("\(cluster.directory)/log")
    try #require(symlink(roots, "\(cluster.directory)/log") == 0)
    await #expect(throws: EmbeddedPostgresError.self) { try await cluster.resume() }
    var status = stat()
    try #require(stat(roots, &status) == 0)
    #expect(status.st_size == 0)
    await cluster.stop()
  }
}
