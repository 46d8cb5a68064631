import Postgres
import TestSupport
import Testing

@Suite("A deposit") struct DepositTests {
  @Test func `a repeated deposit gets the first answer and books nothing`() async throws {
    let course = try await Course()
    let session = course.session
    let athlete = try await course.athlete(pence: 0)
    let first = try await session.json("SELECT racing.deposit(\(athlete), 500, 'k')")
    try await session.expect(
      "racing.deposit(\(athlete), 500, 'k')",
      is: """
        {"id": \(try await session.value("SELECT max(id) FROM racing.posting")), "kind": "deposit", "amountPence": 500,
         "balancePence": 500, "status": "completed", "raceId": null, "entryId": null, "description": "Deposit",
         "createdAt": "2031-06-02T09:00:00.000Z"}
        """)
    // Neither time nor money nor what became of the athlete changes the answer.
    try await session.run("SELECT racing.deposit(\(athlete), 1, 'other')")
    try await course.setClock("2031-06-05T00:00:00Z")
    try await session.run(#"SELECT racing.update_athlete(\#(athlete), '{"userType": "spectator"}')"#)
    #expect(try await session.json("SELECT racing.deposit(\(athlete), 500, 'k')") == first)
    try await expectRefusal(sqlState: "SD403", rule: "spectator") {
      try await session.run("SELECT racing.deposit(\(athlete), 500, 'new')")
    }
    #expect(try await course.balance(athlete) == 501)
  }

  @Test func `a deposit under a key that was used with another amount is refused`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 0)
    let cases = [
      ("500, 'k'", "ok"), ("501, 'k'", "SD409 idempotency"), ("499, 'k'", "SD409 idempotency"), ("501, 'K'", "ok"),
      ("7, 'k '", "ok"), ("7, E'k\\n'", "ok"), ("1, repeat('é', 10000)", "ok"), ("2, repeat('é', 9999)", "ok"),
      ("2, repeat('é', 10000)", "SD409 idempotency"), ("9, repeat('x', 10000)", "ok"),
      ("9, encode(sha256(repeat('x', 10000)::bytea), 'hex')", "ok"), ("10, 'entry/1'", "ok"),
    ]
    for (arguments, expected) in cases {
      let ended = try await outcome { try await course.session.run("SELECT racing.deposit(\(athlete), \(arguments))") }
      #expect(ended == expected, "\(arguments)")
    }
    #expect(try await course.balance(athlete) == 500 + 501 + 14 + 3 + 18 + 10)
  }

  @Test func `deposits of different athletes may use the same key`() async throws {
    let course = try await Course()
    let athletes = [try await course.athlete(pence: 0), try await course.athlete(pence: 0)]
    for (place, athlete) in athletes.enumerated() {
      try await course.session.run("SELECT racing.deposit(\(athlete), \(place + 1), 'k')")
    }
    for (place, athlete) in athletes.enumerated() { #expect(try await course.balance(athlete) == Int64(place + 1)) }
  }

  @Test func `four deposits of one key at once are booked once`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 0)
    let same = Array(repeating: "SELECT racing.deposit(\(athlete), 500, 'k')", count: 4)
    let lock = "SELECT 1 FROM racing.wallet FOR UPDATE"
    #expect(try await course.calls(same, heldBy: lock) == ["ok", "ok", "ok", "ok"])
    #expect(try await course.balance(athlete) == 500)
    #expect(try await course.session.value("SELECT count(*) FROM racing.journal") == 1)
    let different = (1...4).map { "SELECT racing.deposit(\(athlete), \($0), 'other')" }
    let conflict = "SD409 idempotency"
    #expect(try await course.calls(different, heldBy: lock).sorted() == [conflict, conflict, conflict, "ok"])
    try await course.session.expect("racing.verify_ledger() -> 'differences'", is: "[]")
  }

  @Test func `a deposit is limited, and so is the wallet's balance`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 0)
    let session = course.session
    for (amount, expected) in [
      (0, "SD400 amount-pence"), (1, "ok"), (100_000_000, "ok"), (100_000_001, "SD400 amount-pence"),
    ] {
      #expect(try await session.tried("SELECT racing.deposit(\(athlete), \(amount), 'k')") == expected)
    }
    try await session.run("UPDATE racing.wallet SET balance_pence = 1000000000000 - 100")
    for (amount, expected) in [(101, "SD409 wallet-limit"), (99, "ok"), (100, "ok")] {
      #expect(try await session.tried("SELECT racing.deposit(\(athlete), \(amount), 'k')") == expected)
    }
    try await session.run("UPDATE racing.wallet SET balance_pence = 9223372036854775807")
    #expect(try await session.tried("SELECT racing.deposit(\(athlete), 100, 'k')") == "SD409 wallet-limit")
  }

  @Test func `a deposit is in its wallet at once, balanced by external cash`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 700)
    try await course.session.expect(
      "racing.wallet(\(athlete))",
      is: """
        {"athleteId": \(athlete), "balancePence": 700, "pendingWithdrawalPence": 0, "receivablePence": 0,
         "withdrawablePence": 700, "restingPence": 0,
         "createdAt": "2031-06-02T09:00:00.000Z", "updatedAt": "2031-06-02T09:00:00.000Z"}
        """)
    try await course.session.expect(
      "(SELECT jsonb_object_agg(account, amount_pence) FROM racing.posting)", is: #"{"external": -700, "wallet": 700}"#)
  }
}
