import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Tokens and secrets", .timeLimit(.minutes(8))) struct SecretsTests {
  @Test func `a daemon's tokens and secrets appear nowhere, and a planted secret is found`()
    async throws
  {
    let life = try await SecretLife()
    let sessions = life.watchSessions()
    try await Self.checkConfiguration(life)
    try await Self.wrongSecret(life)
    var (a, b) = (try life.daemon("a"), try life.daemon("b"))
    try await Self.connections(life, a)
    try await Self.troubles(life, a)
    try await Self.spooledReplies(life, &a, b)
    life.addOutput(of: b, "b")
    b = try life.daemon("b")
    try await Self.newKey(life, &a, &b)
    try await Self.operators(life, a, b)
    sessions.cancel()
    await sessions.value
    for (name, daemon) in [("a", a), ("b", b)] {
      daemon.terminate()
      _ = try await daemon.exit()
      life.addOutput(of: daemon, name)
    }
    try await life.addTables()
    try life.addServerLog()

    let needles = try await life.needles()
    #expect(life.haystack.found(needles) == [])
    try Self.expectLife(life, needles)
    // One of each kind in a place of its own, in one form or another.
    let found = try await life.haystack.found(life.plant())
    #expect(found.isSuperset(of: SecretLife.planted), "\(found)")
    await life.cluster.stop()
  }

  /// A life in which nothing happened has no secrets to show.
  private static func expectLife(_ life: SecretLife, _ needles: [Needle]) throws {
    let counts = Dictionary(grouping: needles, by: \.kind).mapValues(\.count)
    #expect(counts[.accessToken] ?? 0 > 50 && counts[.refreshToken] ?? 0 > 50 && counts[.code] ?? 0 > 20, "\(counts)")
    let places = Set(life.haystack.names)
    let needed = [
      "postgres settled.event", "postgres settled.audit", "postgres settled.failure", "postgres strava.secret",
      "postgres strava.lost_reply", "secret_reader strava.connection", "pg_stat_activity", "answer of /metrics",
      "answer of /openapi.json", "answer of strava.status", "answer of doctor", "stderr of a", "stderr of b",
      "stdout of settlectl doctor", "server log",
    ]
    #expect(needed.filter { !places.contains($0) } == [])
    #expect(places.contains { $0.contains("token-spool") } && places.contains { $0.hasSuffix("cmdline") })
  }

  /// Bad values are reported without the values themselves.
  private static func checkConfiguration(_ life: SecretLife) async throws {
    let url = ["SETTLED_DATABASE_URL": "postgresql:///a", "SETTLED_STRAVA_CLIENT_ID": "1"]
    let bad = [
      ["SETTLED_TOKEN_KEY": life.keys[0] + "A"], ["SETTLED_TOKEN_KEY": String(life.keys[0].dropLast(4))],
      ["SETTLED_TOKEN_KEY_OLD": "\(life.keys[0]) \(life.keys[1])x"],
      ["SETTLED_STRAVA_CLIENT_SECRET": String(repeating: life.provider.clientSecret, count: 50)],
      ["SETTLED_STRAVA_OAUTH_BASE": "https://1:\(life.provider.clientSecret)@example.org"],
      ["SETTLED_HTTPS_PROXY": "http://1:\(life.provider.clientSecret)@example.org:80"],
    ]
    for (number, values) in bad.enumerated() {
      let finished = try await SettledProcess.run(["check-config"], url.merging(values) { $1 })
      #expect(life.add("check-config \(number)", finished).exit == .code(78))
    }
    for line in [
      "token_key = '\(life.keys[0])", "token_key \(life.keys[0])", "token_key = '\(life.keys[0])' x",
      "strava_client_secret = \(life.provider.clientSecret)\nstrava_client_secret = \(life.wrongSecret)",
    ] {
      try "\(line)\n".write(toFile: life.file, atomically: true, encoding: .utf8)
      let finished = try await SettledProcess.run(["check-config", "--config", life.file], url)
      #expect(life.add("check-config of a file", finished).exit == .code(78))
    }
  }

  private static func wrongSecret(_ life: SecretLife) async throws {
    let daemon = try life.daemon("a", secret: life.wrongSecret)
    try await life.connect()
    try await untilTrue("the refusal of the client") {
      try await life.number("SELECT count(*) FROM settled.problem WHERE problem LIKE '%strava-client-secret%'") == 1
    }
    for words in [["doctor"], ["status"], ["strava", "status"]] {
      life.add("settlectl \(words.joined(separator: " "))", try await daemon.settlectl(words))
    }
    daemon.terminate()
    _ = try await daemon.exit()
    life.addOutput(of: daemon, "a")
  }

  /// Exchanges, refreshes, a dead grant, a refused code, a taken account, and two who disconnect.
  private static func connections(_ life: SecretLife, _ daemon: SettledProcess) async throws {
    var athletes: [Int64] = []
    for _ in 0..<8 { athletes.append(try await life.connect()) }
    let refused = try await life.connect(code: life.refusedCode)
    for athlete in athletes { try await life.until(athlete, is: "active") }
    try await untilTrue("one refusal") { try await life.provider.report().refusedGrants >= 1 }
    try await life.advance(by: 6)
    try await life.until(refused, is: "needs_reauth code")
    try await life.until(life.connect(as: 1000 + athletes[0]), is: "needs_reauth taken")
    try await life.advance()
    // Time advances when all replies are written.
    try await untilTrue("refreshes") {
      let rotations = try await life.provider.report().rotations
      let due = try await life.due()
      return rotations >= 8 && due.isEmpty
    }
    try await life.provider.forget(1000 + athletes[1])
    try await life.advance()
    try await life.until(athletes[1], is: "needs_reauth grant")
    #expect(try await life.tool(daemon, "strava", "refresh", "\(athletes[2])").exit == .code(0))
    let left = try await life.tool(daemon, "strava", "disconnect", "\(athletes[3])", "--reason", "they asked")
    #expect(left.exit == .code(0), "\(left.errors)")
    try await life.ask(as: "secret_app") { try await $0.execute("SELECT racing.disconnect_strava(\(athletes[4]))") }
    try await untilTrue("revocations") { try await life.provider.report().revocations == 2 }
  }

  private static func troubles(_ life: SecretLife, _ daemon: SettledProcess) async throws {
    for fault in ProviderSettings.Fault.allCases {
      try await life.suffer(ProviderSettings(faults: [fault: 1])) { $0.faults[fault.rawValue] ?? 0 >= 3 }
    }
    try await life.suffer(ProviderSettings(tooMany: true)) { $0.limited > 0 }
    let denied = try await life.provider.report().deniedClients
    try await life.suffer(ProviderSettings(deniesClient: true)) { $0.deniedClients > denied }
    try await life.tool(daemon, "strava", "status")
  }

  private static func spooledReplies(
    _ life: SecretLife, _ a: inout SettledProcess, _ b: SettledProcess
  ) async throws {
    b.terminate()
    _ = try await b.exit()
    try await life.spool(a, name: "a")
    life.addOutput(of: a, "a")
    a = try life.daemon("a")
    let daemon = a
    try await untilTrue("the spooled replies \(life.spooled("a")) in the database (\(daemon.errors.text.suffix(3000)))")
    {
      life.spooled("a").isEmpty
    }
  }

  private static func newKey(_ life: SecretLife, _ a: inout SettledProcess, _ b: inout SettledProcess) async throws {
    for (name, daemon) in [("a", a), ("b", b)] {
      daemon.terminate()
      _ = try await daemon.exit()
      life.addOutput(of: daemon, name)
    }
    (a, b) = (try life.daemon("a", key: 1), try life.daemon("b", key: 1))
    try await a.log("ready")
    try await b.log("ready")
    let rotated = try await life.tool(a, "strava", "rotate-key")
    #expect(rotated.exit == .code(0), "\(rotated.errors)")
    try await untilTrue("everything sealed with the new key") {
      try await life.number("SELECT count(DISTINCT key_id) FROM strava.secret") == 1
    }
    try await life.tool(a, "strava", "rotate-key")
  }

  /// The output that operators see; at the end every command once, also those that change much.
  private static func operators(_ life: SecretLife, _ a: SettledProcess, _ b: SettledProcess) async throws {
    for words in [["failures"], ["events"], ["doctor"], ["audit", "log"], ["status"], ["jobs"], ["strava", "status"]] {
      let name = "settlectl \(words.joined(separator: " "))"
      life.add(name, try await a.settlectl(words))
      life.add(name, try await a.settlectl(words + ["--json"]))
    }
    let doctor = try await a.settlectl("doctor").output
    #expect(doctor.contains("the server logs no statement parameters"), "\(doctor)")
    let secrets = ["strava_client_secret": life.wrongSecret, "token_key": life.keys[0]]
    try life.write(secrets)
    let changed = try await life.tool(b, "reload")
    #expect(changed.exit == .code(0) && changed.output.contains("keys that begin with strava_ or token_key"))
    try life.write(secrets.merging(["token_key": life.keys[0] + life.wrongSecret]) { $1 })
    #expect(try await life.tool(b, "reload").exit != .code(0))
    for daemon in [a, b] { try await life.addEndpoints(of: daemon) }
    try await life.addAnswers(of: a, athlete: 1)
  }
}
