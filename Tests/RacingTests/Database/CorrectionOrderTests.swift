import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A settled race", .serialized)
struct CorrectionOrderTests {
  private static let holdEnds = "2031-06-07T01:00:00Z"
  /// The prizes of `settled` can be withdrawn.
  private static let rested = "2031-06-10T01:00:00Z"

  /// Settled at the end of the hold with two of five held: the first and the second.
  private func settled() async throws -> (day: RaceDay, field: RaceDay.Field) {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5500, 5000, 4000, 3000])
    let users = try await day.course.spectators(3)
    for activity in field.activities.prefix(2) { try await day.course.flag(try #require(activity), by: users) }
    try await day.escalate()
    try await day.finish()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.dropFirst(2)))
    return (day, field)
  }

  @Test(
    arguments: [
      [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ], [false, true])
  func `a settled race ends the same after corrections in any order`(order: [Int], atOnce: Bool) async throws {
    let (day, field) = try await settled()
    // The winner has taken the money out; so some of it will be owed.
    let winner = field.athletes[2]
    try await day.pass(to: Self.rested)
    let all = try await day.course.balance(winner)
    _ = try await day.session.query("SELECT racing.withdraw(\(winner), \(all), 'all')")
    var page = try await day.page()
    for step in order {
      let activity = try #require(field.activities[step])
      try await day.course.review(activity, ["approve", "approve", "disqualify"][step])
      if !atOnce {
        try await day.settle()
        #expect(try await day.differences() == [])
      }
      let next = try await day.page()
      #expect(Set(next).isSuperset(of: page))
      page = next
    }
    try await day.settle()
    // Four of 100 p: the first, the second, then the fourth; the third is out, with the fee back.
    let worths = try await day.worths(field.athletes)
    let expected: [Int64] = [10_197, 9_979, 10_000 - all, 9_920, 9_900]
    #expect(worths == expected)
    #expect(try await day.course.purse(winner)[2] > 0)
    #expect(try await day.differences() == [])
    try await day.settle()
    #expect(try await day.page().count >= page.count)
  }

  @Test func `a settled race is void for good when disqualifications leave no athlete`() async throws {
    let (day, field) = try await settled()
    for activity in field.activities.dropFirst(2) { try await day.course.review(try #require(activity), "disqualify") }
    try await day.settle()
    #expect(try await day.worths(field.athletes) == Array(repeating: 10_000, count: 5))
    let revisions = try await day.course.revisions(field.race)
    #expect(try await day.course.review(try #require(field.activities[0]), "approve") == [])
    #expect(try await day.course.review(try #require(field.activities[1]), "disqualify") == [])
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == revisions)
    #expect(try await day.course.events("race.approval_after_void").count == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a settled race is not corrected by open flags, late imports or reviews without effect`()
    async throws
  {
    let (day, field) = try await settled()
    let users = try await day.course.spectators(3)
    let leader = try #require(field.activities[2])
    try await day.course.flag(leader, by: users)
    try await day.escalate()
    _ = try await day.course.outing(field.athletes[4], stravaId: 900, maxSpeed: "9")
    try await day.validate()
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 1)
    try await day.course.review(leader, "approve")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a settled race counts a held activity once validated, and a later flag changes nothing`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let late = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "7")
    try await day.finish()
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    try await day.validate()
    try await day.course.flag(late, by: try await day.course.spectators(3))
    try await day.escalate()
    try await day.settle()
    #expect(
      try await day.course.payouts(field.race).map(\.1) == [field.entries[3], field.entries[0], field.entries[1]])
    #expect(try await day.differences() == [])
  }

  @Test func `debts to a race are repaid from prizes, not from deposits or returned fees`() async throws {
    let (day, field) = try await settled()
    let winner = field.athletes[2]
    try await day.pass(to: Self.rested)
    let all = try await day.course.balance(winner)
    _ = try await day.session.query("SELECT racing.withdraw(\(winner), \(all), 'all')")
    try await day.course.review(try #require(field.activities[2]), "disqualify")
    try await day.settle()
    let owed = try await day.course.purse(winner)[2]
    #expect(owed == 371 - 100)  // A first prize of 75 % of 495 (371.25; the odd penny is the third's) less the fee.
    _ = try await day.session.query("SELECT racing.deposit(\(winner), 500, 'again')")
    #expect(try await day.course.purse(winner) == [500, all, owed])
    #expect(
      try await day.session.refusal(of: "SELECT racing.withdraw(\(winner), 1, 'x')") == Refusal("SD409", "receivable"))

    // A race that is void gives the fee back whole; one that is won repays.
    let next = try await day.course.race(from: "2031-06-12T00:00:00Z", to: "2031-06-13T00:00:00Z")
    _ = try await day.course.enter(winner, next)
    try await day.cancel(next)
    #expect(try await day.course.purse(winner) == [500, all, owed])
    let won = try await day.course.race(
      type: "furthest_distance", from: "2031-06-12T00:00:00Z", to: "2031-06-13T00:00:00Z")
    _ = try await day.course.enter(winner, won)
    try await day.pass(to: "2031-06-12T12:00:00Z")
    _ = try await day.course.outing(winner, stravaId: 700, at: "2031-06-12T10:00:00Z")
    try await day.validate()
    try await day.pass(to: "2031-06-13T01:00:00Z")
    try await day.settle()
    #expect(try await day.course.purse(winner) == [400, all, owed - 99])
    let prize = try await day.session.query(
      "SELECT racing.transactions(\(winner))->0->>'kind', racing.transactions(\(winner))->0->>'amountPence'"
    ).one(String.self, String.self)
    #expect(prize == ("prize", "0"))

    // The withdrawal fails: what comes back repays the rest first.
    let withdrawal = try await day.session.query(
      "SELECT p.id FROM racing.posting AS p WHERE account = 'wallet' AND athlete_id = \(winner) AND amount_pence = -\(all)"
    ).one(Int64.self)
    _ = try await day.session.query("SELECT racing.fail_withdrawal(\(withdrawal), 'account closed')")
    let rest = 400 + all - (owed - 99)
    #expect(try await day.course.purse(winner) == [rest, 0, 0])
    #expect(try await day.differences() == [])
  }
}

extension RaceDay {
  func worths(_ athletes: [Int64]) async throws -> [Int64] {
    var all: [Int64] = []
    for athlete in athletes { all.append(try await course.worth(athlete)) }
    return all
  }
}
