import Postgres
import TestSupport
import Testing

@Suite("Logins that fail") struct AttemptTests {
  private static func world() async throws -> (owner: Connection, gateway: Connection) {
    let database = try await SettledDatabase.simulated()
    let gateway = try await database.connect(.gateway)
    try await gateway.run("SELECT gateway.register('ann@example.org', 'Ann', 'racer', repeat('h', 40))")
    return (try await database.connect(), gateway)
  }

  private static func attempt(_ name: String, from address: String = "10.0.0.1") -> String {
    "SELECT gateway.credentials('\(name)', '\(address)')"
  }

  /// Nobody tells an address that exists from one that does not.
  @Test(arguments: ["ann@example.org", "nobody@example.org", "nobody"])
  func `ten failed logins are allowed for a name from one address, known or not`(name: String) async throws {
    let (_, gateway) = try await Self.world()
    for _ in 1...10 { try await gateway.run(Self.attempt(name)) }
    for spelled in [name, " \(name) ", name.uppercased()] {
      #expect(try await outcome { try await gateway.run(Self.attempt(spelled)) } == "SD429 attempts", "\(spelled)")
    }
    #expect(try await outcome { try await gateway.run(Self.attempt(name, from: "10.0.0.2")) } == "ok")
    #expect(try await outcome { try await gateway.run(Self.attempt("other@example.org")) } == "ok")
  }

  @Test(arguments: ["ann@example.org", "nobody@example.org"])
  func `a hundred failed logins are allowed for a name from all addresses`(name: String) async throws {
    let (owner, gateway) = try await Self.world()
    try await gateway.run("SELECT count(gateway.credentials('\(name)', 'a' || g / 5)) FROM generate_series(1, 100) g")
    #expect(try await outcome { try await gateway.run(Self.attempt(name, from: "new")) } == "SD429 attempts")
    // A name that is refused is not counted on: the row does not grow.
    #expect(try await owner.value("SELECT cardinality(failed_at)::bigint FROM accounts.attempt") == 100)
  }

  @Test func `a refusal under a username shows nothing of the address of its account`() async throws {
    let (owner, gateway) = try await Self.world()
    try await owner.run("SELECT accounts.link('1', username => 'ann.k')")
    for _ in 1...10 { try await gateway.run(Self.attempt("Ann.K")) }
    #expect(try await outcome { try await gateway.run(Self.attempt("ann.k")) } == "SD429 attempts")
    for guess in ["ann@example.org", "bob@example.org"] {
      #expect(try await outcome { try await gateway.run(Self.attempt(guess)) } == "ok", "\(guess)")
    }
  }

  @Test func `thirty failed logins are allowed for a name from one IPv6 site, and one address is not a site`()
    async throws
  {
    let (_, gateway) = try await Self.world()
    try await gateway.run(
      "SELECT count(gateway.credentials('x', format('2001:db8:7:%s:0:0:0:0/64', g / 5))) FROM generate_series(1, 30) g")
    let refused = Self.attempt("x", from: "2001:db8:7:ffff:0:0:0:0/64")
    #expect(try await outcome { try await gateway.run(refused) } == "SD429 attempts")
    for address in ["2001:db8:8:1:0:0:0:0/64", "192.0.2.1", "local"] {
      #expect(try await outcome { try await gateway.run(Self.attempt("x", from: address)) } == "ok", "\(address)")
    }
  }

  @Test func `an address from which somebody logged in lately is not locked out by failures elsewhere`() async throws {
    let (owner, gateway) = try await Self.world()
    let (name, own) = ("ann@example.org", "2001:db8:7:1:0:0:0:0/64")
    try await gateway.run("SELECT gateway.log_in(1, 1, '\(name)', '\(own)')")
    try await gateway.run("SELECT count(gateway.credentials('\(name)', 'a' || g / 5)) FROM generate_series(1, 100) g")
    #expect(try await outcome { try await gateway.run(Self.attempt(name, from: "new")) } == "SD429 attempts")
    for _ in 1...10 { try await gateway.run(Self.attempt(name, from: own)) }
    #expect(try await outcome { try await gateway.run(Self.attempt(name, from: own)) } == "SD429 attempts")
    #expect(try await owner.value("SELECT cardinality(failed_at)::bigint FROM accounts.attempt") == 100)
    // Five addresses are remembered, for 30 days.
    for number in 1...6 { try await gateway.run("SELECT gateway.log_in(1, 1, '\(name)', '192.0.2.\(number)')") }
    #expect(try await owner.value("SELECT count(*) FROM accounts.known_address") == 5)
    let known: @Sendable (String) -> String = { "SELECT accounts.knows_address('\(name)', '\($0)')" }
    #expect(try await owner.value(known("192.0.2.6"), as: Bool.self))
    #expect(try await !owner.value(known(own), as: Bool.self))
    try await owner.run("UPDATE accounts.known_address SET logged_in_at = logged_in_at - interval '31 days'")
    #expect(try await !owner.value(known("192.0.2.6"), as: Bool.self))
    try await owner.run("SELECT accounts.erase_account(1)")
    #expect(try await owner.value("SELECT count(*) FROM accounts.known_address") == 0)
  }

  @Test func `failed logins answer how long to wait, and expire after 15 minutes of real time`() async throws {
    let (owner, gateway) = try await Self.world()
    for _ in 1...10 { try await gateway.run(Self.attempt("x")) }
    try await owner.run(
      """
      UPDATE accounts.attempt SET failed_at = ARRAY(SELECT at - interval '14 minutes' FROM unnest(failed_at) AS at)
      """)
    let error = await #expect(throws: PostgresError.self) { try await gateway.run(Self.attempt("x")) }
    let wait =
      error?.detail?.split(separator: " ").last.flatMap { Int($0.filter(\.isNumber)) }
      ?? error?.detail?.firstMatch(of: /"retryAfter": (\d+)/).flatMap { Int($0.1) } ?? 0
    #expect((1...60).contains(wait), "\(error?.detail ?? "")")
    try await owner.run(
      """
      UPDATE accounts.attempt SET failed_at = ARRAY(SELECT at - interval '1 minute' FROM unnest(failed_at) AS at)
      """)
    try await gateway.run(Self.attempt("x"))
    #expect(try await owner.value("SELECT cardinality(failed_at)::bigint FROM accounts.attempt") == 1)
  }

  @Test func `a successful login clears the failures of its own address only`() async throws {
    let (_, gateway) = try await Self.world()
    for _ in 1...10 { try await gateway.run(Self.attempt("ann@example.org")) }
    for _ in 1...10 { try await gateway.run(Self.attempt("ann@example.org", from: "10.0.0.2")) }
    try await gateway.run("SELECT gateway.log_in(1, 1, 'Ann@example.org', '10.0.0.1')")
    #expect(try await outcome { try await gateway.run(Self.attempt("ann@example.org")) } == "ok")
    #expect(
      try await outcome { try await gateway.run(Self.attempt("ann@example.org", from: "10.0.0.2")) } == "SD429 attempts"
    )
  }

  @Test func `a login whose password was not checked does not count as a failure`() async throws {
    let (owner, gateway) = try await Self.world()
    for _ in 1...30 {
      try await gateway.run(Self.attempt("x"))
      try await gateway.run("SELECT gateway.forget_attempt('x', '10.0.0.1')")
    }
    #expect(try await owner.value("SELECT count(*) FROM accounts.attempt") == 0)
    try await gateway.run("SELECT gateway.forget_attempt('x', '10.0.0.1')")
  }

  /// Each of them is counted before its password is looked at.
  @Test func `ten failed logins are allowed, however many come at once`() async throws {
    let database = try await SettledDatabase.simulated()
    var sessions: [Connection] = []
    for _ in 1...6 { sessions.append(try await database.connect(.gateway)) }
    let ended = try await withThrowingTaskGroup(of: [String].self) { group in
      for session in sessions {
        group.addTask {
          var ended: [String] = []
          for _ in 1...4 { ended.append(try await outcome { try await session.run(Self.attempt("x")) }) }
          return ended
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(ended.count { $0 == "ok" } == 10 && ended.count { $0 == "SD429 attempts" } == 14, "\(ended)")
  }

  @Test func `old failures of other names are deleted a few at a time`() async throws {
    let (owner, gateway) = try await Self.world()
    try await gateway.run("SELECT count(gateway.credentials('n' || g, 'a')) FROM generate_series(1, 25) g")
    try await owner.run("UPDATE accounts.attempt SET last_at = last_at - interval '16 minutes'")
    for _ in 1...3 { try await gateway.run(Self.attempt("new")) }
    #expect(try await owner.value("SELECT count(*) FROM accounts.attempt") == 1)
  }
}
