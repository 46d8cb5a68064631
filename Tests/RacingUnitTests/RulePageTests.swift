import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

/// The examples of the pages, decided again.
@Suite("Pages of races") struct RulePageTests {
  @Test func `documented waits of races for held activities match the code`() throws {
    for row in try RulePage("Racing.docc/Holds.md").rows("The rule") {
      var race = try RaceFixture(scores: row.text("scores").split(separator: ", ").map { Int64($0) })
      for held in try row.list("held") {
        let parts = held.split(separator: ": ")
        let athlete = try #require(Int(parts[0]))
        if parts[1] == "claim" {
          race.claim(athlete: athlete)
        } else {
          race.add(athlete: athlete, score: try #require(Int64(parts[1])), isHeld: true)
        }
      }
      let waits = if case .wait = try Settlement.decide(race.input()) { true } else { false }
      #expect(try waits == row.isYes("waits"), "\(row)")
    }
  }

  @Test func `documented scores of activities match the code`() throws {
    for row in try RulePage("Racing.docc/Scores.md").rows("Worked scores") {
      let scores = Scores(
        ActivityMeasures(
          distance: try Self.billionths(row.text("distance")), elapsedTime: 0,
          movingTime: try Self.billionths(row.text("moving time")),
          maxSpeed: try row.optional("max speed").map(Self.billionths)))
      for type in RaceType.allCases {
        #expect(try scores[type].map { "\($0)" } == row.optional(type.rawValue), "\(type) of \(row)")
      }
    }
  }

  @Test func `documented reversals and repaid debts match the code`() throws {
    for row in try RulePage("Racing.docc/Corrections.md").rows("Taking back") {
      var wallet = WalletState(
        balance: Pence(try row.integer("balance")), receivable: Pence(try row.integer("receivable")))
      let moved = try wallet.book(Pence(row.integer("net")), repaysFirst: row.isYes("repays first"))
      #expect(try moved.wallet.amount == row.integer("wallet moves"), "\(row)")
      #expect(try wallet.receivable.amount == row.integer("receivable after"), "\(row)")
      #expect(wallet.balance >= .zero, "\(row)")
    }
  }

  private static func billionths(_ decimal: String) throws -> Int64 {
    let parts = decimal.split(separator: ".")
    let fraction = parts.count > 1 ? parts[1] : ""
    let digits = "\(parts[0])\(fraction)" + String(repeating: "0", count: 9 - fraction.count)
    return try #require(Int64(digits))
  }
}
