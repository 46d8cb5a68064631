import Postgres
import TestSupport
import Testing

@Suite("Money in racepace") struct RacepaceMoneyTests {
  private static func transaction(
    _ type: String, exact: String, _ amount: String, _ description: String, status: String = "completed",
    race: String = "null", entry: String = "null"
  ) -> String {
    """
    {"walletId": "1", "type": "\(type)", "exactType": "\(exact)", "amount": \(amount),
     "description": "\(description)", "status": "\(status)", "relatedRaceId": \(race), "relatedEntryId": \(entry),
     "createdAt": "2031-06-02T09:00:00Z"}
    """
  }

  @Test func `a racepace wallet shows its balance in pounds`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 1234)
    try await course.session.expect(
      "gateway.racepace_wallet(\(athlete))",
      is: """
        {"id": "1", "userId": "1", "balance": 12.34, "withdrawable": 12.34, "resting": 0, "autoPayoutEnabled": false, "payoutDetails": null,
         "createdAt": "2031-06-02T09:00:00Z", "updatedAt": "2031-06-02T09:00:00Z"}
        """)
    try await course.setClock("2031-06-02T09:00:59.9Z")
    try await course.session.run(#"SELECT gateway.racepace_deposit(1, '{"amount": 0.06}', 'k')"#)
    try await course.session.expect("gateway.racepace_wallet(1) -> 'balance'", is: "12.4")
    try await course.session.expect("gateway.racepace_wallet(1) -> 'updatedAt'", is: #""2031-06-02T09:00:59Z""#)
    #expect(try await course.session.tried("SELECT gateway.racepace_wallet(9)") == "SD404 athlete")
  }

  /// Each kind of the ledger in the app's words: a correction by its sign, a returned withdrawal as a refund.
  @Test func `racepace transactions show amounts without a sign, each with its kind in the app's words`() async throws {
    let course = try await Course()
    let session = course.session
    let athlete = try await course.athlete(pence: 0)
    let deposit = try await session.value(
      #"SELECT (gateway.racepace_deposit(1, '{"amount": 20}', 'd') ->> 'id')::bigint"#)
    let withdrawal = try await session.value(
      #"SELECT (gateway.racepace_withdraw(1, '{"amount": 4.99}', 'w') ->> 'id')::bigint"#)
    try await session.run("SELECT racing.fail_withdrawal(\(withdrawal), 'closed')")
    let race = try await course.race()
    _ = try await course.enter(athlete, race)
    try await session.run("SELECT racing.reverse_deposit(\(deposit), 'fraud')")
    try await session.script(
      """
      WITH j AS (INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
        VALUES ('correction', 'c', 1, 'Corrected', settled.clock()), ('prize', 'p', 1, 'Prize', settled.clock()),
          ('refund', 'r', 1, 'Refund', settled.clock()) RETURNING id, kind)
      INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, amount_pence, balance_pence)
      SELECT j.id, p.* FROM j, (VALUES ('wallet', 1, NULL::bigint, 150, 150), ('pool', NULL, 1, -150, NULL)) AS p
        ORDER BY array_position('{correction,prize,refund}', j.kind);
      """)
    let expected = [
      Self.transaction("refund", exact: "refund", "1.5", "Refund", race: #""1""#),
      Self.transaction("prize", exact: "prize", "1.5", "Prize", race: #""1""#),
      Self.transaction("prize", exact: "correction", "1.5", "Corrected", race: #""1""#),
      Self.transaction("withdrawal", exact: "correction", "19", "Deposit charged back: fraud"),
      Self.transaction(
        "entryFee", exact: "entry_fee", "1", "Entry fee: daily top_speed, senior_men", race: #""1""#, entry: #""1""#),
      Self.transaction("refund", exact: "withdrawal", "4.99", "Withdrawal returned: closed"),
      Self.transaction("withdrawal", exact: "withdrawal", "4.99", "Withdrawal", status: "failed"),
      Self.transaction("deposit", exact: "deposit", "20", "Deposit", status: "failed"),
    ]
    try await session.expect(
      "(SELECT jsonb_agg(t - 'id') FROM jsonb_array_elements(gateway.racepace_transactions(1)) AS t)",
      is: "[\(expected.joined(separator: ", "))]")
    try await session.expect("gateway.racepace_transactions(1) #> '{7,id}'", is: #""\#(deposit)""#)
    try await session.expect("gateway.racepace_transactions(1, \(deposit))", is: "[]")
  }

  /// Decimal text goes in, pence are booked: 0.29 is 28.999... in binary, and 1e2 is a hundred.
  @Test(arguments: [
    ("0.01", 1), ("0.29", 29), ("4.35", 435), ("1e2", 10_000), ("20.50", 2050), ("1000000", 100_000_000),
    ("1.10000", 110), ("4.990000000000001024", 499), ("0.28999999999999998", 29), ("999999.9999999999999", 100_000_000),
    ("123456.78000000000465", 12_345_678),
  ])
  func `a racepace deposit books the exact amount of pounds`(amount: String, pence: Int64) async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 0)
    try await course.session.run(#"SELECT gateway.racepace_deposit(\#(athlete), '{"amount": \#(amount)}', 'k')"#)
    #expect(try await course.balance(athlete) == pence)
  }

  @Test func `racepace amounts that are not exact positive pence are refused and book nothing`() async throws {
    let course = try await Course()
    let session = course.session
    _ = try await course.athlete(pence: 500)
    for amount in [
      "0", "-1", "0.001", "4.999", "1e-3", "1000000.01", "1e400", #""5""#, "null", "true", "[]", "0.009",
      "4.9900001",
      "0.00000000001", "1000000.0000001",
    ] {
      for verb in ["deposit", "withdraw"] {
        let call = #"SELECT gateway.racepace_\#(verb)(1, '{"amount": \#(amount)}', 'k')"#
        #expect(try await session.tried(call) == "SD400 amount", "\(call)")
      }
    }
    for (call, expected) in [
      ("racepace_deposit(1, '{}', 'k')", "SD400 amount"), ("racepace_deposit(1, 'null', 'k')", "SD400 body"),
      (#"racepace_deposit(1, '{"amount": 1, "currency": "USD"}', 'k')"#, "SD400 key"),
      (#"racepace_deposit(1, '{"amount": 1}', '')"#, "SD400 idempotency-key"),
      (#"racepace_deposit(9, '{"amount": 1}', 'k')"#, "SD404 athlete"),
      (#"racepace_withdraw(1, '{"amount": 5.01}', 'k')"#, "SD402 funds"),
    ] { #expect(try await session.tried("SELECT gateway.\(call)") == expected, "\(call)") }
  }

  @Test func `a racepace deposit of one key is booked once for a wallet, from any sender`() async throws {
    let course = try await Course()
    let session = course.session
    for _ in 1...2 { _ = try await course.athlete(pence: 0) }
    let first = try await session.json(#"SELECT gateway.racepace_deposit(1, '{"amount": 5}', 'k')"#)
    try await session.expect(#"gateway.racepace_deposit(1, '{"amount": 5.00}', 'k')"#, is: first)
    #expect(
      try await session.tried(#"SELECT gateway.racepace_deposit(1, '{"amount": 6}', 'k')"#) == "SD409 idempotency")
    #expect(
      try await session.tried(#"SELECT gateway.racepace_withdraw(1, '{"amount": 5}', 'k')"#) == "SD409 idempotency")
    try await session.run(#"SELECT gateway.racepace_deposit(2, '{"amount": 7}', 'k')"#)
    #expect(try await course.balance(1) == 500)
    #expect(try await course.balance(2) == 700)
  }
}
