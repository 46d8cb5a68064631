import Postgres
import TestSupport
import Testing

@Suite("Two devices", .timeLimit(.minutes(3))) struct TwoDevicesTests {
  @Test func `one of two devices checks in when both do so at the same instant, 200 times`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    let pool = habit.database.pool(.app, size: 8)
    for number in 0..<200 { try await habit.onboard("person \(number)", "Europe/Paris") }
    for first in stride(from: 0, to: 200, by: 4) {
      let ended = try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for number in first..<first + 4 {
          for _ in 0..<2 {
            group.addTask {
              (
                number,
                try await outcome {
                  _ = try await pool.withConnection {
                    try await $0.query(
                      "SELECT checkins.submit(\("person \(number)"), \(JSON(text: Habit.good)))")
                  }
                }
              )
            }
          }
        }
        return try await group.reduce(into: [Int: [String]]()) { $0[$1.0, default: []].append($1.1) }
      }
      for (number, outcomes) in ended {
        #expect(outcomes.sorted() == ["SD409 already-checked-in", "ok"], "person \(number)")
      }
    }
    await pool.close()
    let kept = try await habit.session.query(
      """
      SELECT concat_ws(' ', (SELECT count(*) FROM checkins.entry), (SELECT count(*) FROM checkins.streak WHERE length = 1),
        (SELECT sum(checked_in) FROM checkins.tally WHERE zone = 'Europe/Paris' AND date = '2031-03-28'))
      """
    ).one(String.self)
    #expect(kept == "200 200 200")
  }

  @Test func `two devices that onboard one person at the same instant make one profile`() async throws {
    let habit = try await Habit(at: "2031-03-28T08:00:00Z")
    let pool = habit.database.pool(.app, size: 8)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          _ = try await pool.withConnection {
            try await $0.query("SELECT checkins.onboard(\("person \(number / 8)"), 'Asia/Tokyo')")
          }
        }
      }
      try await group.waitForAll()
    }
    await pool.close()
    #expect(try await habit.session.query("SELECT count(*) FROM checkins.profile").one(Int64.self) == 5)
    #expect(try await habit.session.query("SELECT count(*) FROM checkins.zone").one(Int64.self) == 1)
  }
}
