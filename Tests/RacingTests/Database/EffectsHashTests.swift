import ControlAPI
import Operations
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

@Suite("A decision that expects its effects") struct EffectsHashTests {
  private struct World {
    let day: RaceDay
    let field: RaceDay.Field
    /// The activities under review, the best first.
    let reviewed: [Int64]

    init(_ scores: [Int64?] = [6000, 5000, 4000, 3000], reviewed count: Int = 1) async throws {
      day = try await RaceDay()
      field = try await day.field(scores)
      reviewed = field.activities.compactMap { $0 }.prefix(count).map { $0 }
      let users = try await day.course.spectators(3)
      for activity in reviewed { try await day.course.flag(activity, by: users) }
      try await day.escalate()
    }

    func hash(_ activity: Int64) async throws -> String {
      try #require(try await day.ask(.reviewShow, ["id": .integer(activity)])["effectsHash"]?.text)
    }

    /// The rule that refuses the decision; nil where it was made.
    func decide(
      _ description: CommandDescription, _ activity: Int64, expecting hash: String, uid: UInt32 = 7
    ) async throws -> String? {
      try await day.refusal(
        description, ["id": .integer(activity), "reason": .text("seen"), "expectHash": .text(hash)], uid: uid)
    }
  }

  @Test func `one of two operators who decide at once about the same effects is refused`() async throws {
    let world = try await World(reviewed: 4)
    for activity in world.reviewed {
      let hash = try await world.hash(activity)
      async let first = world.decide(.reviewApprove, activity, expecting: hash)
      async let second = world.decide(.reviewDisqualify, activity, expecting: hash, uid: 8)
      let rules = [try await first, try await second]
      #expect(rules.filter { $0 == nil }.count == 1, "\(rules)")
      #expect(rules.compactMap { $0 } == ["hash"])
      let decided = try await world.day.session.query(
        "SELECT reviewer FROM racing.decision WHERE activity_id = \(activity)"
      ).decode(String.self)
      #expect(decided == [rules[0] == nil ? "uid 7" : "uid 8"])
    }
    try await world.day.finish()
    #expect(try await world.day.differences() == [])
  }

  @Test func `a review shows the rules that refuse decisions, and a decision is refused by the same rule`() async throws
  {
    let world = try await World()
    let activity = world.reviewed[0]
    func refusals() async throws -> [String?] {
      let shown = try await world.day.ask(.reviewShow, ["id": .integer(activity)])["refusals"]
      return ["approve", "disqualify", "requestInfo", "overrule"].map { shown?[$0]?.text }
    }
    #expect(try await refusals() == [nil, nil, nil, nil])
    let hash = try await world.hash(activity)
    #expect(try await world.decide(.reviewApprove, activity, expecting: hash) == nil)
    #expect(try await refusals() == ["decided", "decided", "decided", nil])
    let after = try await world.hash(activity)
    for description in [CommandDescription.reviewApprove, .reviewDisqualify, .reviewRequestInfo] {
      #expect(try await world.decide(description, activity, expecting: after) == "decided")
    }
  }

  @Test func `a decision is refused when another one has changed who gets what, and its refusal has the new hash`()
    async throws
  {
    let world = try await World(reviewed: 2)
    let (leader, second) = (world.reviewed[0], world.reviewed[1])
    let seen = try await world.hash(second)
    #expect(try await world.decide(.reviewDisqualify, leader, expecting: try await world.hash(leader)) == nil)
    let now = try await world.hash(second)
    #expect(now != seen)
    let error = await #expect(throws: CommandError.self) {
      try await world.day.ask(
        .reviewApprove, ["id": .integer(second), "reason": .text("seen"), "expectHash": .text(seen)])
    }
    #expect(error?.rule == "hash")
    #expect(error?.kind == .refused)
    #expect(error?.description.contains(now) ?? false)
    #expect(try await world.day.course.activityStatus(second) == "under_review")
    for description in [CommandDescription.reviewRequestInfo, .reviewDisqualify] {
      #expect(try await world.decide(description, second, expecting: seen) == "hash")
    }
    #expect(try await world.decide(.reviewRequestInfo, second, expecting: now) == nil)
    #expect(try await world.decide(.reviewApprove, second, expecting: now) == nil)
  }

  @Test func `an overruling decision expects effects, too`() async throws {
    let world = try await World()
    let leader = world.reviewed[0]
    let open = try await world.hash(leader)
    try await world.day.course.review(leader, "disqualify")
    func overrule(_ hash: String) async throws -> String? {
      try await world.day.refusal(
        .reviewOverrule,
        [
          "id": .integer(leader), "decision": .text("approve"), "reason": .text("seen again"),
          "expectHash": .text(hash),
        ])
    }
    #expect(try await overrule(open) == "hash")
    let decided = try await world.hash(leader)
    #expect(try await overrule(decided) == nil)
    #expect(try await overrule(decided) == "hash")
  }

  @Test func `other inputs with the same effects keep the hash, and so do time and a second look`() async throws {
    let world = try await World()
    let (day, leader) = (world.day, world.reviewed[0])
    let seen = try await world.hash(leader)
    // A better outing of the last one, who stays the last, changes the settlement's inputs and nobody's money.
    let before = try await day.preview(world.field.race).inputHash
    _ = try await day.course.outing(world.field.athletes[3], stravaId: 99, maxSpeed: "3.5")
    try await day.validate()
    #expect(try await day.preview(world.field.race).inputHash != before)
    #expect(try await world.hash(leader) == seen)
    try await day.pass(to: "2031-06-04T00:30:00Z")
    #expect(try await world.hash(leader) == seen)
    try await day.finish()
    #expect(try await world.hash(leader) == seen)
    #expect(try await world.decide(.reviewApprove, 0, expecting: seen) == "activity")
    #expect(try await world.decide(.reviewApprove, leader, expecting: seen) == nil)
    try await day.settle()
    #expect(try await day.course.payouts(world.field.race).first?.1 == world.field.entries[0])
  }
}
