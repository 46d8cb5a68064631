import EmbeddedPostgres
import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConnectTests {
  /// A socket on the loopback interface whose peers connect and never hear a word.
  private final class SilentServer {
    let socket: Int32
    let port: UInt16

    init() throws {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let (socket, size) = (socket, length)
      let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(socket, pointer, size) == 0 && listen(socket, 8) == 0 && getsockname(socket, pointer, &length) == 0
        }
      }
      try #require(bound)
      port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(socket) }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a host that accepts and never answers is given up after the time-out`() async throws {
    let server = try SilentServer()
    var options = ConnectionOptions(url: "postgresql://someone:sEcReT@127.0.0.1:\(server.port)/x")
    options.connectTimeout = .seconds(2)
    let error = try await failure { try await Connection.connect(options) }
    #expect(error.code == .connection)
    #expect(error.verdict == .connection)
    #expect(error.message.contains("timeout"))
    #expect(!"\(error) \(error.debugDescription) \(options)".contains("sEcReT"))
  }

  @Test func `many silent addresses are given up within one time-out, and the last one is reached`()
    async throws
  {
    let server = try SilentServer()
    let database = try await TestCluster.shared.database()
    let live = try await TestCluster.shared.cluster().directory
    var options = database.options
    options.connectTimeout = .seconds(5)
    let silent = (0..<6).map { _ in "127.0.0.1" }.joined(separator: ",")
    let ports = (0..<6).map { _ in "\(server.port)" }.joined(separator: ",")
    #expect(options.connectLimit(addresses: 6) == .seconds(12) && options.connectLimit(addresses: 99) == .seconds(20))
    options.url = "host=\(silent) port=\(ports) user=postgres dbname=\(database.name)"
    let error = try await failure { try await Connection.connect(options) }
    #expect(error.verdict == .connection)
    options.url = "host=\(silent),\(live) port=\(ports),5432 user=postgres dbname=\(database.name)"
    let connection = try await Connection.connect(options)
    #expect(connection.isOpen)
    await connection.close()
  }

  @Test func `a cancelled task does not wait for its connect`() async throws {
    let server = try SilentServer()
    var options = ConnectionOptions(url: "host=127.0.0.1 port=\(server.port)")
    options.connectTimeout = .seconds(50)
    let task = Task { [options] in try await Connection.connect(options) }
    // The peer's connection in our queue shows that libpq waits for an answer.
    var peer = pollfd(fd: server.socket, events: Int16(POLLIN), revents: 0)
    try await eventually("nobody connects") { poll(&peer, 1, 0) == 1 }
    task.cancel()
    #expect(try await failure { try await task.value }.code == .cancelled)
  }

  @Test func `an error hides the password anywhere in it, and nothing else`() async throws {
    for (url, shown, hidden) in [
      ("postgresql://a:a@/a?host=/nowhere/a", "/nowhere/a/.s.PGSQL", "***"),
      ("postgresql://someone:pa@ss@word/x", "***", "ss@word"),
      ("host=no.such.host.invalid user=u password=host", "no.such.host.invalid", "***"),
      ("host=/nowhere/hush password=hush", "/nowhere/hush", "***"),
    ] {
      let error = try await failure { try await Connection.connect(ConnectionOptions(url: url)) }
      #expect(error.message.contains(shown) && !error.message.contains(hidden), "\(url): \(error.message)")
    }
  }

  @Test func `the next host is tried when the first is dead`() async throws {
    let database = try await TestCluster.shared.database()
    let live = try await TestCluster.shared.cluster().directory
    var options = database.options
    for url in [
      "postgresql:///\(database.name)?user=postgres&host=/nonexistent,\(live)&target_session_attrs=read-write",
      "host=127.0.0.1,\(live) port=1,5432 dbname=\(database.name) user=postgres",
    ] {
      options.url = url
      let connection = try await Connection.connect(options)
      #expect(try await connection.query("SELECT current_database()").one(String.self) == database.name)
    }
  }

  @Test func `a URL that cannot be read is a usage error without its text`() async throws {
    for url in ["postgresql://u:hidden@host:port:x/y?z", "host=a hidden", "postgresql://h/?password", "hidden"] {
      let error = try await failure { try await Connection.connect(ConnectionOptions(url: "\(url)")) }
      #expect([.usage, .connection].contains(error.code))
      #expect(url == "hidden" || !error.debugDescription.contains("hidden"), "\(error.debugDescription)")
    }
  }

  @Test func `a refused session has the reason in its error`() async throws {
    let cluster = try await TestCluster.shared.cluster()
    let error = try await failure {
      try await Connection.connect(ConnectionOptions(url: cluster.url(database: "none")))
    }
    #expect(error.code == .connection)
    #expect(error.message.contains(#"database "none" does not exist"#))
  }

  @Test func `a session has its settings and its name`() async throws {
    let (_, connection) = try await connected {
      $0.applicationName = "a name"
      $0.settings = ["search_path": "pg_catalog", "work_mem": "5MB"]
      $0.lockTimeout = .milliseconds(1500)
    }
    let names = [
      "application_name", "search_path", "work_mem", "lock_timeout", "statement_timeout",
      "idle_in_transaction_session_timeout", "client_encoding",
    ]
    let values = try await connection.query(
      "SELECT array_agg(current_setting(name) ORDER BY n) FROM unnest(\(names)) WITH ORDINALITY AS _ (name, n)"
    ).one([String].self)
    #expect(values == ["a name", "pg_catalog", "5MB", "1500ms", "30s", "30s", "UTF8"])
  }

  @Test func `settings of the role or the database do not change the meaning of statements`() async throws {
    let (database, owner) = try await connected()
    let version = try await owner.query("SELECT current_setting('server_version_num')::int").one(Int32.self)
    var expected = ConnectionOptions.pinned.merging(["lock_timeout": "0"]) { $1 }
    var hostile = [
      "lock_timeout": "'1ms'",
      "search_path": "public, pg_catalog", "standard_conforming_strings": "off", "extra_float_digits": "-15",
      "datestyle": "German, DMY", "intervalstyle": "sql_standard", "timezone": "'Asia/Kolkata'",
      "bytea_output": "escape",
      "transform_null_equals": "on", "quote_all_identifiers": "on", "client_min_messages": "error",
      "default_transaction_isolation": "serializable", "default_transaction_read_only": "on",
    ]
    if version >= 170_000 {
      hostile["transaction_timeout"] = "'10ms'"
      expected["transaction_timeout"] = "0"
    }
    for (name, value) in hostile {
      try await owner.script("ALTER DATABASE \(database.name) SET \(name) = \(value)")
    }
    for isOurs in [true, false] {
      var options = ConnectionOptions(url: database.url())
      options.poolsTransactions = !isOurs
      let connection = try await Connection.connect(options)
      let names = expected.keys.sorted()
      let values = try await connection.transaction { transaction in
        try await transaction.execute("SELECT pg_sleep(0.02)")
        return try await transaction.query(
          "SELECT array_agg(current_setting(name) ORDER BY n) FROM unnest(\(names)) WITH ORDINALITY AS _ (name, n)"
        ).one([String].self)
      }
      #expect(values == names.map { expected[$0] }, "own session: \(isOurs)")
    }
  }

  @Test(arguments: [true, false]) func `a renewed session equals a newly connected one`(_ prepared: Bool)
    async throws
  {
    let (_, connection) = try await connected {
      $0.preparedStatements = prepared
      $0.settings = ["work_mem": "5MB"]
    }
    let show: Statement =
      "SELECT current_setting('work_mem'), current_setting('search_path'), to_regclass('pg_temp.mine') IS NULL"
    let before = try await connection.query(show).one(String.self, String.self, Bool.self)
    #expect(before == ("5MB", "pg_catalog, pg_temp", true))
    try await connection.script("SET work_mem = '77MB'; SET search_path = public; CREATE TEMP TABLE mine ()")
    try await connection.renew()
    #expect(try await connection.query(show).one(String.self, String.self, Bool.self) == before)
  }

  @Test func `a setting that the server refuses fails the connect`() async throws {
    let error = try await failure { _ = try await connected { $0.settings = ["no_such_setting": "1"] } }
    #expect(error.sqlState == "42704")
  }

  @Test func `an idle connection that was terminated is a connection problem at its next use`() async throws {
    let (database, connection) = try await connected()
    let other = try await database.connect()
    _ = try await other.query("SELECT pg_terminate_backend(\(connection.backendPID), 5000)")
    let error = try await failure { try await connection.query("SELECT 1") }
    #expect(error.code == .connection)
    #expect(error.verdict == .connection)
    #expect(error.sqlState == "57P01")
    #expect(await !connection.isUsable)
  }

  @Test func `a closed connection fails as closed, also for the statement that was running`() async throws {
    let (database, connection) = try await connected()
    let observer = try await database.connect()
    let task = Task { try await connection.query("SELECT pg_sleep(60)") }
    try await awaitBackend(connection.backendPID, waitsFor: "Timeout", seenBy: observer)
    await connection.close()
    #expect(try await failure { try await task.value }.code == .closed)
    #expect(try await failure { try await connection.query("SELECT 1") }.code == .closed)
  }

  @Test func `dropped connections end their sessions`() async throws {
    let database = try await TestCluster.shared.database()
    for _ in 0..<10 { _ = try await database.connect().query("SELECT 1") }
    let observer = try await database.connect()
    try await eventually("sessions remain") {
      try await observer.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()").count == 1
    }
  }
}
