import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A settled race in the database")
struct WorkedExampleTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let scores: [Int64?]
    var duration = "daily"
    let platformFee: Int64
    /// In the order of the entries; those after the last get nothing.
    let prizes: [Int64]
    let ranks: [Int64?]

    init(
      _ name: String, _ scores: [Int64?], duration: String = "daily", fee: Int64, prizes: [Int64], ranks: [Int64?]
    ) {
      testDescription = name
      self.scores = scores
      self.duration = duration
      platformFee = fee
      self.prizes = prizes
      self.ranks = ranks
    }
  }

  static let examples = [
    Example(
      "34 entries of 100 p", (1...34).map { 9000 - $0 }, fee: 34, prizes: [2525, 673, 168], ranks: (1...34).map { $0 }),
    Example(
      "89 entries of 499 p", (1...89).map { 9000 - $0 }, duration: "weekly", fee: 444, prizes: [32975, 8794, 2198],
      ranks: (1...89).map { $0 }),
    Example("one entry of 499 p", [4000], duration: "weekly", fee: 4, prizes: [495], ranks: [1]),
    Example("one ranked of three", [nil, 4000, nil], fee: 3, prizes: [0, 297, 0], ranks: [nil, 1, nil]),
    Example("two ranked", [4000, 5000], fee: 2, prizes: [42, 156], ranks: [2, 1]),
    Example("three ranked", [3000, 4000, 5000], fee: 3, prizes: [15, 59, 223], ranks: [3, 2, 1]),
    Example("four ranked", [6000, 5000, 4000, 3000], fee: 4, prizes: [297, 79, 20, 0], ranks: [1, 2, 3, 4]),
    Example("a tie for first", [5000, 5000, 4000, 3000], fee: 4, prizes: [188, 188, 20, 0], ranks: [1, 1, 3, 4]),
    Example("a tie for first of two", [5000, 5000], fee: 2, prizes: [99, 99], ranks: [1, 1]),
    Example("a tie for second", [6000, 5000, 5000, 3000], fee: 4, prizes: [297, 50, 49, 0], ranks: [1, 2, 2, 4]),
    Example("a tie for third", [6000, 5000, 4000, 4000], fee: 4, prizes: [297, 79, 10, 10], ranks: [1, 2, 3, 3]),
    Example("a tie across third", [6000, 5000, 5000, 5000], fee: 4, prizes: [297, 33, 33, 33], ranks: [1, 2, 2, 2]),
    Example("all tied", [5000, 5000, 5000, 5000], fee: 4, prizes: [99, 99, 99, 99], ranks: [1, 1, 1, 1]),
  ]

  @Test(arguments: examples)
  func `a settled race pays the prizes of the rules, to the penny`(_ example: Example) async throws {
    let day = try await RaceDay()
    let field = try await day.field(example.scores, duration: example.duration)
    try await day.finish()

    let fee: Int64 = example.duration == "weekly" ? 499 : 100
    let settlement = try await day.session.query(
      """
      SELECT outcome, fees_pence, platform_fee_pence, prize_pool_pence FROM racing.settlement
      WHERE race_id = \(field.race) AND revision = 1
      """
    ).one(String.self, Int64.self, Int64.self, Int64.self)
    let fees = fee * Int64(example.scores.count)
    #expect(settlement == ("paid", fees, example.platformFee, fees - example.platformFee))

    let entries = try await day.session.query(
      "SELECT status, score, rank::bigint, prize_pence, activity_id FROM racing.entry WHERE race_id = \(field.race) ORDER BY id"
    ).decode(String.self, Int64?.self, Int64?.self, Int64.self, Int64?.self)
    for (index, entry) in entries.enumerated() {
      let prize = index < example.prizes.count ? example.prizes[index] : 0
      let score = example.scores[index]
      let expected = ("completed", score, example.ranks[index], prize, field.activities[index])
      #expect(entry == expected, "entry \(index)")
      #expect(try await day.course.balance(field.athletes[index]) == 10_000 - fee + prize)
    }
    #expect(entries.count == example.scores.count)
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [1, 4])
  func `a race without any score refunds every fee in full`(_ entries: Int) async throws {
    let day = try await RaceDay()
    let field = try await day.field(Array(repeating: nil, count: entries))
    try await day.finish()
    let settlement = try await day.session.query(
      """
      SELECT s.outcome, s.fees_pence, s.platform_fee_pence, s.prize_pool_pence, r.status, j.kind
      FROM racing.settlement AS s JOIN racing.race AS r ON r.id = s.race_id JOIN racing.journal AS j ON j.id = s.journal_id
      """
    ).one(String.self, Int64.self, Int64.self, Int64.self, String.self, String.self)
    #expect(settlement == ("void", 0, 0, 0, "settled", "refund"))
    for athlete in field.athletes { #expect(try await day.course.balance(athlete) == 10_000) }
    let refunded = "SELECT count(*) FROM racing.entry WHERE status = 'refunded' AND rank IS NULL"
    #expect(try await day.session.query("\(raw: refunded)").one(Int64.self) == Int64(entries))
    #expect(try await day.differences() == [])
  }

  @Test func `a race without entries is settled as void and books nothing`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([])
    try await day.finish()
    let settlement = try await day.session.query(
      "SELECT outcome, fees_pence, journal_id FROM racing.settlement WHERE race_id = \(field.race)"
    ).one(String.self, Int64.self, Int64?.self)
    #expect(settlement == ("void", 0, nil))
    #expect(try await day.session.query("SELECT count(*) FROM racing.journal").one(Int64.self) == 0)
    #expect(try await day.course.status(field.race) == "settled")
    #expect(try await day.differences() == [])
  }

  @Test func `a settled race writes the event, journal and settlement row of the contract`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([5000, 4000, nil])
    try await day.finish()
    let event = try await day.session.query(
      "SELECT key, payload::text, occurred_at FROM settled.event_pending WHERE topic = 'race.settled'"
    ).one(String.self, String.self, Timestamp.self)
    #expect(event.0 == "\(field.race)")
    let payouts = field.entries.prefix(2).enumerated().map { index, entry in
      #"{"place": \#(index + 1), "entryId": \#(entry), "athleteId": \#(field.athletes[index]), "#
        + #""amountPence": \#(index == 0 ? 234 : 63)}"#
    }
    let isEqual = try await day.session.query(
      """
      SELECT \(JSON(text: event.1)) = \(JSON(text: #"""
        {"raceId": \#(field.race), "revision": 1, "outcome": "paid", "payouts": [\#(payouts.joined(separator: ","))]}
        """#))
      """
    ).one(Bool.self)
    #expect(isEqual, "\(event.1)")
    let postings = try await day.session.query(
      """
      SELECT p.account, p.athlete_id, p.race_id, p.entry_id, p.amount_pence, p.balance_pence
      FROM racing.settlement AS s JOIN racing.journal AS j ON j.id = s.journal_id AND j.race_id = s.race_id
        AND j.kind = 'prize' AND j.idempotency_key = 'race/' || s.race_id || '/settlement/1'
      JOIN racing.posting AS p ON p.journal_id = j.id ORDER BY p.amount_pence
      """
    ).decode(String.self, Int64?.self, Int64?.self, Int64?.self, Int64.self, Int64?.self)
    #expect(postings.count == 4)
    #expect(postings[0] == ("pool", nil, field.race, nil, -300, nil))
    #expect(postings[1] == ("platform", nil, nil, nil, 3, nil))
    #expect(postings[2] == ("wallet", field.athletes[1], nil, field.entries[1], 63, 9963))
    #expect(postings[3] == ("wallet", field.athletes[0], nil, field.entries[0], 234, 10_134))
    let kept = try await day.session.query(
      "SELECT counted_activities, held_activities, settled_at, length(input_hash)::bigint FROM racing.settlement"
    ).one([Int64].self, [Int64].self, Timestamp.self, Int64.self)
    #expect(kept.0 == field.activities.compactMap { $0 })
    #expect(kept.1 == [])
    #expect(kept.2 == event.2)
    #expect(kept.3 == 64)
  }
}
