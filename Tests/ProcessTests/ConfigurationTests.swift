import Foundation
import TestSupport
import Testing

/// A configuration file in a directory of its own.
struct ConfigurationFixture: Sendable {
  private let directory: ScratchDirectory
  var path: String { directory.path + "/settled.conf" }

  init(_ text: String?) throws {
    directory = try ScratchDirectory()
    if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
  }
}

@Suite("Configuration") struct ConfigurationTests {
  static let url = "database_url = postgresql:///settled\n"
  static let goodKey = Data(repeating: 7, count: 32).base64EncodedString()

  @Test(arguments: [
    url,
    "# comment\n\n  database_url='postgresql:///a?application_name=#1'  # why\n",
    "database_url = 'postgresql:///it''s'\r\nlog_level = debug\r\n",
    url + "settlement_lanes = 4\n",
    url + "node = 'a node'\nprepared_statements = off\nstate_directory = /srv/settled",
    url + "log_level = trace # loud\n\n\n",
    url + "strava_oauth_base = http://127.0.0.1:8080\nhttps_proxy = http://proxy.example:3128\n",
  ])
  func `a good configuration file is accepted`(text: String) async throws {
    let file = try ConfigurationFixture(text)
    let finished = try await SettledProcess.run(["check-config", "--offline", "--config", file.path])
    #expect(finished.exit == .code(0), "\(finished.errors)")
    #expect(finished.output.contains("the configuration is valid"))
    #expect(finished.errors.isEmpty)
  }

  /// The text of the file, and what standard error must hold besides the file's path.
  @Test(arguments: [
    (url + "colour = red\n", ":2: colour: is not a key"),
    ("\n\n" + url + url, ":4: database_url: is already set at"),
    (url + "log_level = loud\n", ":2: log_level: must be one of"),
    (url + "prepared_statements = yes\n", ":2: prepared_statements: must be one of off, on"),
    (url + "settlement_lanes = 5\n", ":2: settlement_lanes: must be one of 1, 2, 3, 4"),
    (url + "state_directory = here\n", ":2: state_directory: must be an absolute path"),
    ("database_url = 'postgresql:///a\n", ":1: database_url: the quote is not closed"),
    ("database_url = 'a' b\n", ":1: database_url: the quote is not closed, or text follows"),
    ("database_url = postgresql://[\n", ":1: database_url: the database URL cannot be parsed"),
    ("database_url =\n", ":1: database_url: must not be empty"),
    ("# only\ndatabase_url\n", ":2: must have the form key = value"),
    ("= value\n", ":1: "),
    (url + "token_key c2VjcmV0=\n", ":2: must have the form key = value"),
    ("node = a\n", ": database_url: is missing; set it here or in SETTLED_DATABASE_URL"),
    (url + "node = \(String(repeating: "n", count: 201))\n", ":2: node: is longer"),
    (url + "strava_oauth_base = http://strava.example\n", ":2: strava_oauth_base: must begin with https://"),
    (url + "strava_api_base = https://u:p@strava.example\n", ":2: strava_api_base: must be a URL"),
    (url + "strava_client_id = 1\n", ": strava_client_secret: is missing, but a client id is set"),
    (url + "token_key = c2VjcmV0\n", ":2: token_key: must be 32 bytes in base64"),
    (url + "token_key_old = \(goodKey) x\n", ":2: token_key_old: must be 32 bytes in base64"),
    (url + "https_proxy = proxy\n", ":2: https_proxy: must be HOST:PORT"),
  ])
  func `a bad configuration file exits 78, and its line names file, line and key`(text: String, message: String)
    async throws
  {
    let file = try ConfigurationFixture(text)
    for command in ["check-config", "run", "migrate"] {
      let finished = try await SettledProcess.run([command, "--config", file.path])
      #expect(finished.exit == .code(78), "\(command) \(finished.errors)")
      #expect(finished.errors.hasPrefix("settled: \(file.path)\(message)"), "\(finished.errors)")
      #expect(finished.errors.split(separator: "\n").count == 1)
      #expect(finished.output.isEmpty)
    }
  }

  @Test(arguments: [
    ("SETTLED_LOG_LEVEL", "loud", "environment SETTLED_LOG_LEVEL: log_level: must be one of"),
    ("SETTLED_STATE_DIRECTORY", "", "environment SETTLED_STATE_DIRECTORY: state_directory: must be"),
    ("SETTLED_DATABASE_URL", "", "environment SETTLED_DATABASE_URL: database_url: must not be empty"),
  ])
  func `a bad variable is named, and overrides a good line`(name: String, value: String, message: String)
    async throws
  {
    let file = try ConfigurationFixture(Self.url + "log_level = info\nstate_directory = /srv\n")
    let finished = try await SettledProcess.run(["check-config", "--config", file.path], [name: value])
    #expect(finished.exit == .code(78))
    #expect(finished.errors.hasPrefix("settled: \(message)"), "\(finished.errors)")
  }

  @Test func `all configuration errors are reported together, a line each`() async throws {
    let text = """
      colour = red
      database_url = postgresql://[
      log_level 'info'
      node = 'a
      state_directory = here
      operators_group = no-such-group
      admins_group = no-such-group-either
      """
    let file = try ConfigurationFixture(text)
    let variables = ["SETTLED_DATABSE_URL": "x", "SETTLED_LOG_LEVEL": "loud", "SETTLED_TEST_SEED": "1"]
    let finished = try await SettledProcess.run(["check-config", "--config", file.path], variables)
    #expect(finished.exit == .code(78))
    let expected = [
      "\(file.path):3: must have the form key = value", "\(file.path):4: node: the quote is not closed",
      "\(file.path):1: colour: is not a key", "environment: SETTLED_DATABSE_URL: does not match any key",
      "\(file.path):2: database_url: the database URL cannot be parsed",
      "\(file.path):5: state_directory: must be an absolute path",
      "environment SETTLED_LOG_LEVEL: log_level: must be one of",
      "\(file.path):6: operators_group: group no-such-group does not",
      "\(file.path):7: admins_group: group no-such-group-either does not",
    ]
    let lines = finished.errors.split(separator: "\n")
    #expect(lines.count == expected.count, "\(finished.errors)")
    for (line, start) in zip(lines, expected) { #expect(line.hasPrefix("settled: \(start)"), "\(line)") }
  }

  @Test func `an unknown SETTLED_ variable is an error, except those of tests`()
    async throws
  {
    let url = ["SETTLED_DATABASE_URL": "postgresql:///a"]
    for command in ["check-config", "run", "migrate"] {
      let wrong = try await SettledProcess.run([command], url.merging(["SETTLED_LOGLEVEL": "debug"]) { $1 })
      #expect(wrong.exit == .code(78))
      #expect(wrong.errors == "settled: environment: SETTLED_LOGLEVEL: does not match any key\n")
    }
    let tests = ["SETTLED_TEST_ROUNDS": "1", "SETTLED_SOAK": "1", "SETTLEDX": "1"]
    let fine = try await SettledProcess.run(["check-config", "--offline"], url.merging(tests) { $1 })
    #expect(fine.exit == .code(0), "\(fine.errors)")
  }

  @Test func `check-config asks the database, and names what keeps the daemon out`() async throws {
    func check(_ url: String) async throws -> Finished {
      try await SettledProcess.run(["check-config"], ["SETTLED_DATABASE_URL": url])
    }
    let empty = try await TestCluster.shared.database()
    let older = try await check(empty.url())
    #expect(older.exit == .code(75) && older.errors.contains("run settled migrate"), "\(older.errors)")
    let database = try await SettledDatabase.simulated()
    let good = try await check(database.url(.daemon))
    #expect(good.exit == .code(0) && good.errors.isEmpty, "\(good.errors)")
    let owner = try await check(database.url(.owner))
    #expect(owner.exit == .code(0))
    #expect(owner.errors.contains("a daemon needs the privileges of settled_daemon"), "\(owner.errors)")
    let away = try await check("postgresql:///x?host=/nonexistent")
    #expect(away.exit == .code(69) && away.errors.contains("database_url: "), "\(away.errors)")
    let nobody = try await check(database.database.url(user: "nobody_at_all"))
    #expect(nobody.exit == .code(69), "\(nobody.errors)")
    #expect(nobody.errors.contains("settled migrate creates missing roles"), "\(nobody.errors)")
  }

  @Test func `the credential database-url overrides variable and file`() async throws {
    let directory = try ScratchDirectory()
    let file = URL(fileURLWithPath: directory.path + "/database-url")
    let variables = [
      "CREDENTIALS_DIRECTORY": directory.path, "SETTLED_DATABASE_URL": "postgresql:///x?host=/nonexistent",
    ]
    let database = try await TestCluster.shared.database()
    try Data((database.url() + "\n").utf8).write(to: file)
    let migrated = try await SettledProcess.run(["migrate"], variables)
    #expect(migrated.exit == .code(0), "\(migrated.errors)")
    try Data("postgresql://[".utf8).write(to: file)
    let bad = try await SettledProcess.run(["check-config"], variables)
    #expect(bad.exit == .code(78))
    #expect(bad.errors.hasPrefix("settled: credential database-url: database_url: the database URL cannot be parsed"))
  }

  @Test
  func
    `a password in file or variable works with a warning, which says whether everybody can read it; in a credential, none`()
    async throws
  {
    let file = try ConfigurationFixture("\ndatabase_url = 'postgresql://a:hush@/b'\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let open = try await SettledProcess.run(["check-config", "--offline", "--config", file.path])
    #expect(open.exit == .code(0))
    let start = "settled: warning: \(file.path):2: database_url: contains a password"
    #expect(
      open.errors == "\(start), and anyone can read it: put it in the database-url credential\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    let closed = try await SettledProcess.run(["check-config", "--offline", "--config", file.path])
    #expect(closed.errors == "\(start): put it in the database-url credential\n")

    let directory = try ScratchDirectory()
    for name in ["database-url", "schedules-database-url"] {
      try Data("host=/x password=hush".utf8).write(to: URL(fileURLWithPath: directory.path + "/" + name))
    }
    let variables = [
      "CREDENTIALS_DIRECTORY": directory.path, "SETTLED_SCHEDULES_DATABASE_URL": "postgresql://a:hush@/b",
    ]
    let secret = try await SettledProcess.run(["check-config", "--offline", "--config", file.path], variables)
    #expect(secret.exit == .code(0) && secret.errors.isEmpty, "\(secret.errors)")
    let variable = try await SettledProcess.run(
      ["check-config", "--offline"],
      ["SETTLED_DATABASE_URL": "postgresql:///x", "SETTLED_SCHEDULES_DATABASE_URL": "password=hush"])
    #expect(
      variable.errors.hasPrefix(
        "settled: warning: environment SETTLED_SCHEDULES_DATABASE_URL: schedules_database_url: contains"))
  }

  @Test func `migrate takes its URL from a file, and warns of a password among its options`() async throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/url"
    let database = try await TestCluster.shared.database()
    try Data((database.url() + "\n").utf8).write(to: URL(fileURLWithPath: path))
    let migrated = try await SettledProcess.run(["migrate", "--database-url-file", path])
    #expect(migrated.exit == .code(0) && !migrated.errors.contains("warning"), "\(migrated.errors)")
    let seen = try await SettledProcess.run(["migrate", "--database-url", database.url() + "&password=hush"])
    #expect(seen.exit == .code(0))
    #expect(seen.errors.contains("everyone on the machine can see the password in --database-url"))
    let both = try await SettledProcess.run(["migrate", "--database-url-file", path, "--database-url", "x"])
    #expect(both.exit == .code(64))
    let missing = try await SettledProcess.run(["migrate", "--database-url-file", path + "x"])
    #expect(missing.exit == .code(78) && missing.errors == "settled: \(path)x: no such file\n")
  }

  @Test func `variables suffice without a file, and override one`() async throws {
    let alone = try await SettledProcess.run(
      ["check-config", "--offline"], ["SETTLED_DATABASE_URL": "postgresql:///a"])
    #expect(alone.exit == .code(0), "\(alone.errors)")
    let file = try ConfigurationFixture(Self.url + "node = from-file\n")
    let both = try await SettledProcess.run(
      ["check-config", "--offline", "--config", file.path], ["SETTLED_NODE": "from-variable"])
    #expect(both.output.contains("from-variable") && !both.output.contains("from-file"))
  }

  @Test func `a named configuration file must exist`() async throws {
    let file = try ConfigurationFixture(nil)
    let finished = try await SettledProcess.run(["check-config", "--config", file.path], ["SETTLED_DATABASE_URL": "x"])
    #expect(finished.exit == .code(78))
    #expect(finished.errors == "settled: \(file.path): no such file\n")
  }

  @Test(arguments: ["a directory", "not UTF-8"])
  func `an unreadable configuration file exits 78`(kind: String) async throws {
    let file = try ConfigurationFixture(nil)
    let place = URL(fileURLWithPath: file.path)
    if kind == "a directory" {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    } else {
      try Data([0x64, 0xff, 0xfe, 0x0a]).write(to: place)
    }
    let finished = try await SettledProcess.run(["run", "--config", file.path])
    #expect(finished.exit == .code(78))
    #expect(finished.errors == "settled: \(file.path): cannot be read\n")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a configuration file that is too large is not read, whether file or device`() async throws {
    let file = try ConfigurationFixture(Self.url)
    try #require(truncate(file.path, 17 * 1024 * 1024) == 0)
    for (arguments, path) in [
      (["check-config", "--config", file.path], file.path), (["check-config", "--config", "/dev/zero"], "/dev/zero"),
      (["migrate", "--database-url-file", file.path], file.path),
    ] {
      let finished = try await SettledProcess.run(arguments)
      #expect(finished.exit == .code(78), "\(arguments)")
      #expect(finished.errors.contains("\(path): has more than 16 MiB (rule file-size)"), "\(finished.errors)")
    }
  }
}
