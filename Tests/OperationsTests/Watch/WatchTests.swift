import ControlAPI
import Engine
import Postgres
import TestSupport
import Testing
import TextCoding

@testable import Operations

@Suite("A watch") struct WatchTests {
  private let database: SettledDatabase
  private let owner: Connection

  init() async throws {
    database = try await SettledDatabase.real()
    owner = try await database.connect()
  }

  private func watchers(_ time: SteppingTime = SteppingTime()) -> Watchers {
    Watchers(pool: database.pool(), time: time.timekeeper, jobs: ["day.closed": "daily-reset"])
  }

  private func emit(_ topic: String, _ key: String) async throws {
    try await owner.execute(
      "INSERT INTO settled.event_pending (topic, key, payload, occurred_at) VALUES (\(topic), \(key), '{}', now())")
    try await owner.execute("SELECT settled.number_events(100)")
  }

  private func tick(_ schedule: String, _ minute: Int32, _ status: String, node: String = "b") async throws {
    try await owner.execute(
      """
      INSERT INTO settled.occurrence AS o (schedule, instant, status, planned_at, due_at, started_at, node, claimed_at,
        finished_at, rows)
      SELECT \(schedule), t.at, \(status), t.at, t.at, CASE WHEN \(status) <> 'planned' THEN t.at END,
        CASE WHEN \(status) <> 'planned' THEN \(node) END, CASE WHEN \(status) <> 'planned' THEN t.at END,
        CASE WHEN \(status) = 'ran' THEN t.at END, CASE WHEN \(status) = 'ran' THEN 7 END
      FROM (SELECT timestamptz '2031-01-01Z' + \(minute) * interval '1 minute') AS t (at)
      ON CONFLICT (schedule, instant) DO UPDATE SET status = excluded.status, started_at = excluded.started_at,
        node = excluded.node, claimed_at = excluded.claimed_at, finished_at = excluded.finished_at, rows = excluded.rows
      """)
  }

  private func shown(_ answer: JSONValue) -> [String] {
    (answer["happenings"]?.elements ?? []).map { happening in
      ["kind", "job", "key"].map { happening[$0]?.text ?? "-" }.joined(separator: " ")
    }
  }

  @Test func `begins now, and hears of each event once, in order`() async throws {
    try await emit("race.ended", "1")
    let watchers = watchers()
    let first = try await watchers.answer(after: nil, job: nil)
    #expect(shown(first) == [])
    try await emit("race.settled", "1")
    try await emit("day.closed", "2")
    let second = try await watchers.answer(after: first["cursor"]?.text, job: nil)
    #expect(shown(second).isEmpty == false)
    var all = shown(second)
    if all.count < 2 { all += shown(try await watchers.answer(after: second["cursor"]?.text, job: nil)) }
    #expect(all == ["race.settled - 1", "day.closed daily-reset 2"])
  }

  @Test func `hears of a tick when it begins and when it ends, whichever node runs it`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    try await tick("hourly", 1, "planned")
    try await owner.execute(
      """
      INSERT INTO settled.run (schedule, instant, due_at, is_own, is_first)
      SELECT schedule, instant, due_at, false, true FROM settled.occurrence WHERE schedule = 'hourly'
      """)
    var answer = try await watchers.answer(after: nil, job: nil)
    var seen: [String] = []
    for status in ["running", "ran"] {
      try await tick("hourly", 1, status)
      if status == "ran" { try await tick("hourly", 2, "ran") }
      time.advance(.seconds(1))
      answer = try await watchers.answer(after: answer["cursor"]?.text, job: "hourly")
      seen += shown(answer)
    }
    #expect(
      seen == [
        "occurrence.running hourly 2031-01-01T00:01:00.000Z", "occurrence.ran hourly 2031-01-01T00:01:00.000Z",
        "occurrence.ran hourly 2031-01-01T00:02:00.000Z",
      ])
    #expect(answer["happenings"]?.elements.last?["text"]?.text == "tick of 2031-01-01T00:02:00.000Z on b: 7 rows")
  }

  @Test func `hears of a tick that is committed after a later one`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    var answer = try await watchers.answer(after: nil, job: nil)
    let slow = try await database.connect()
    try await slow.execute("BEGIN")
    try await slow.execute(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
      VALUES ('slow', '2031-01-01Z', 'skipped', 'r', now(), now(), now())
      """)
    try await tick("quick", 1, "ran")
    time.advance(.seconds(1))
    answer = try await watchers.answer(after: answer["cursor"]?.text, job: nil)
    #expect(shown(answer).map { $0.prefix(20) } == ["occurrence.ran quick"])
    try await slow.execute("COMMIT")
    time.advance(.seconds(1))
    answer = try await watchers.answer(after: answer["cursor"]?.text, job: nil)
    #expect(shown(answer).map { $0.prefix(23) } == ["occurrence.skipped slow"])
  }

  @Test func `is answered within 15 s when nothing happens, after one reading a second`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    let first = try await watchers.answer(after: nil, job: nil)
    let began = time.timekeeper.now()
    let second = try await watchers.answer(after: first["cursor"]?.text, job: nil)
    #expect(shown(second) == [] && second["missed"] == .boolean(false))
    #expect(time.timekeeper.now() - began == Watchers.signOfLife)
  }

  @Test func `is for eight, and a place that nobody asks for again is another's`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    for _ in 0..<Watchers.watchersMax { _ = try await watchers.answer(after: nil, job: nil) }
    await #expect {
      try await watchers.answer(after: nil, job: nil)
    } throws: {
      ($0 as? CommandError)?.rule == Problem.Rule.busy
    }
    time.advance(Watchers.placeKept + .seconds(1))
    _ = try await watchers.answer(after: nil, job: nil)
  }

  @Test func `begins anew with the cursor of another process, and says that something is missed`() async throws {
    let other = try await watchers().answer(after: nil, job: nil)
    let answer = try await watchers().answer(after: other["cursor"]?.text, job: nil)
    #expect(answer["missed"] == .boolean(true) && shown(answer) == [])
    #expect(answer["cursor"] != other["cursor"])
  }

  @Test func `reads a backlog of several pages in one answer`() async throws {
    let watchers = watchers()
    let first = try await watchers.answer(after: nil, job: nil)
    try await owner.script(
      """
      INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
        SELECT 'race.ended', n::text, '{}', now() FROM generate_series(1, 3500) AS n;
      SELECT settled.number_events(10000);
      """)
    var keys: [String] = []
    var cursor = first["cursor"]?.text
    while keys.count < 3500 {
      let answer = try await watchers.answer(after: cursor, job: nil)
      try #require(!shown(answer).isEmpty)
      keys += shown(answer).map { String($0.split(separator: " ")[2]) }
      cursor = answer["cursor"]?.text
    }
    #expect(keys == (1...3500).map { "\($0)" })
  }
}
