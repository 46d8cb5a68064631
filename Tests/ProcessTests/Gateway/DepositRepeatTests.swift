import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A deposit repeated after a lost answer", .timeLimit(.minutes(5))) struct DepositRepeatTests {
  /// Where the back end of the killed gateway ends: it commits what nobody hears of, or it is ended before.
  enum BackEnd: CaseIterable { case commits, ended }

  @Test(arguments: BackEnd.allCases)
  func `a deposit is paid once when kill -9 strikes in the middle`(backEnd: BackEnd) async throws {
    let bank = try await Bank()
    let first = try await bank.gateway.start()
    let lock = try await bank.database.connect()
    try await lock.script("BEGIN; SELECT FROM racing.wallet FOR UPDATE")
    async let unanswered = bank.depositUntilTaken(500, key: "a")
    try await untilTrue("the deposit waits for the wallet") { try await bank.waiting() == 1 }
    switch backEnd {
    case .commits:
      // It stands still, so that nobody reads the answer of what is committed now.
      kill(first.pid, SIGSTOP)
      try await lock.execute("COMMIT")
      try await untilTrue("the deposit is committed") { try await bank.balance() == 500 }
      first.killHard()
    case .ended:
      first.killHard()
      try await bank.owner.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'settled_gateway'")
      try await untilTrue("its back end has ended") { try await bank.waiting() == 0 }
      try await lock.execute("COMMIT")
      #expect(try await bank.balance() == 0)
    }
    #expect(try await first.exit() == .signal(SIGKILL))
    #expect(try await unanswered.status == 0)

    let second = try await bank.gateway.start()
    let again = try await bank.depositUntilTaken(500, key: "a")
    #expect(again.status == 201, "\(again)")
    #expect(try await bank.depositUntilTaken(500, key: "a").body == again.body)
    #expect(try await bank.depositUntilTaken(501, key: "a").status == 409)
    #expect(try await bank.balance() == 500)
    try await Books.check(bank.owner)
    await lock.close()
    second.terminate()
    #expect(try await second.exit() == .code(0))
  }

  @Test func `deposits under repeated kills are paid once for each key, and every answer is true`() async throws {
    let bank = try await Bank()
    var random = SeededGenerator()
    let (clients, each) = (4, 25)
    let paying = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for client in 0..<clients {
          group.addTask {
            var repeated = 0
            for number in 0..<each {
              repeated += try await bank.depositUntilAnswered(number + 1, key: "\(client)-\(number)")
            }
            return repeated
          }
        }
        return try await group.reduce(0, +)
      }
    }
    // The next kill waits for some more deposits: the load decides when, and not a clock.
    var kills = 0
    var process = try await bank.gateway.start()
    while true {
      let goal = try await bank.count() + Int64.random(in: 3...12, using: &random)
      guard goal < Int64(clients * each) else { break }
      try await untilTrue("\(goal) deposits (\(random))") { try await bank.count() >= goal }
      process.killHard()
      #expect(try await process.exit() == .signal(SIGKILL))
      process = try await bank.gateway.start()
      kills += 1
    }
    let repeated = try await paying.value
    #expect(kills > 3 && repeated > 0, "\(random)")
    #expect(try await bank.count() == Int64(clients * each), "\(random)")
    #expect(try await bank.balance() == Int64(clients * each * (each + 1) / 2), "\(random)")
    try await Books.check(bank.owner, "\(random)")
    process.terminate()
    #expect(try await process.exit() == .code(0))
    print("deposits: \(kills) kills, \(repeated) requests without an answer; \(random)")
  }

  @Test func `a deposit that no standby has confirmed is not acknowledged, nor is its repetition`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "40"])
    let bank = try await Bank(try await SettledDatabase.simulated(in: cluster))
    try await bank.owner.script("SET synchronous_commit = local")
    let process = try await bank.gateway.start()
    #expect(try await bank.deposit(1, key: "before").status == 201)
    try await bank.demandStandby("stopped")
    try await untilTrue("the server has read its settings") {
      try await bank.owner.query("SHOW synchronous_standby_names").one(String.self) == "stopped"
    }
    // The first ones may come before the server's own processes know; each has a key of its own.
    var (key, status) = (0, 201)
    while status == 201 {
      key += 1
      status = try await bank.deposit(2, key: "\(key)").status
    }
    #expect(status == 503)
    let repeated = try await bank.deposit(2, key: "\(key)")
    #expect(repeated.status == 503 && repeated.head.lowercased().contains("retry-after: 1"), "\(repeated)")
    try await bank.demandStandby("")
    let last = "\(key)"
    try await untilTrue("it is confirmed") { try await bank.deposit(2, key: last).status == 201 }
    #expect(try await bank.balance() == Int64(1 + 2 * key))
    try await Books.check(bank.owner)
    process.terminate()
    #expect(try await process.exit() == .code(0))
    await cluster.stop()
  }
}

/// A wallet, and the gateway through which it is paid into.
private final class Bank: Sendable {
  let database: SettledDatabase
  let owner: Connection
  let gateway: LiveGateway
  private let athlete: Int64
  private let token: String

  init(_ database: SettledDatabase? = nil) async throws {
    if let database { self.database = database } else { self.database = try await SettledDatabase.simulated() }
    owner = try await self.database.connect()
    try await self.database.setClock("2031-06-02T09:00:00Z")
    athlete = try await owner.query("SELECT racing.create_athlete('Ann', date '1990-01-01', 'female')").one(Int64.self)
    gateway = try LiveGateway(self.database)
    token = try await gateway.token("--role", "payments")
  }

  func deposit(_ pence: Int, key: String) async throws -> LiveGateway.Answer {
    try await gateway.ask(
      "POST", "/wallets/\(athlete)/deposit", token: token, key: key,
      body: #"{"amount": \#(pence / 100).\#(pence % 100 < 10 ? "0" : "")\#(pence % 100)}"#)
  }

  /// The first answer but 503: a gateway that has just started may have no connection yet.
  func depositUntilTaken(_ pence: Int, key: String) async throws -> LiveGateway.Answer {
    for _ in 0..<1000 {
      let answer = try await deposit(pence, key: key)
      if answer.status != 503 { return answer }
      try await pauseBetweenLooks()
    }
    throw TimeLimitError(description: "\(key): only 503")
  }

  /// How often there was no answer.
  func depositUntilAnswered(_ pence: Int, key: String) async throws -> Int {
    for attempt in 0..<1000 {
      let answer = try await deposit(pence, key: key)
      if answer.status == 201 { return attempt }
      guard [0, 503].contains(answer.status) else { throw TimeLimitError(description: "\(key): \(answer)") }
      try await pauseBetweenLooks()
    }
    throw TimeLimitError(description: "\(key): no answer")
  }

  func balance() async throws -> Int64 {
    try await owner.query("SELECT balance_pence FROM racing.wallet WHERE athlete_id = \(athlete)").one(Int64.self)
  }

  func count() async throws -> Int64 {
    try await owner.query("SELECT count(*) FROM racing.journal WHERE kind = 'deposit'").one(Int64.self)
  }

  /// Back ends of the gateway that wait for a lock.
  func waiting() async throws -> Int64 {
    try await owner.query(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE usename = 'settled_gateway' AND datname = current_database() AND wait_event_type = 'Lock'
      """
    ).one(Int64.self)
  }

  func demandStandby(_ name: String) async throws {
    try await owner.execute("ALTER SYSTEM SET synchronous_standby_names = '\(raw: name)'")
    try await owner.execute("SELECT pg_reload_conf()")
  }
}
