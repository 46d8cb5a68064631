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
  private static let root = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .admin)

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

  @Test func `a watch begins now, and gets each event once, in order`() async throws {
    try await emit("race.ended", "1")
    let watchers = watchers()
    let first = try await watchers.answer(after: nil, job: nil, caller: Self.root)
    #expect(shown(first) == [])
    try await emit("race.settled", "1")
    try await emit("day.closed", "2")
    let second = try await watchers.answer(after: first["cursor"]?.text, job: nil, caller: Self.root)
    #expect(shown(second).isEmpty == false)
    var all = shown(second)
    if all.count < 2 {
      all += shown(try await watchers.answer(after: second["cursor"]?.text, job: nil, caller: Self.root))
    }
    #expect(all == ["race.settled - 1", "day.closed daily-reset 2"])
  }

  @Test func `a watch shows what operators do, and that of one job by its name`() async throws {
    func audit(_ command: String, _ target: String) async throws {
      try await owner.execute(
        """
        INSERT INTO settled.audit (node, uid, gid, pid, command, target, before, after, reason)
        VALUES ('b', 1000, 1000, 1, \(command), \(target), '{}', '{}', 'because')
        """)
    }
    try await audit("job.pause", "before")
    let watchers = watchers()
    let all = try await watchers.answer(after: nil, job: nil, caller: Self.root)
    let one = try await watchers.answer(after: nil, job: "race-settlement", caller: Self.root)
    #expect(shown(all) == [])
    try await audit("job.pause", "race-settlement")
    try await audit("set", "racing.results_grace")
    let news = try await watchers.answer(after: all["cursor"]?.text, job: nil, caller: Self.root)
    #expect(
      shown(news) == ["command.job.pause race-settlement race-settlement", "command.set - racing.results_grace"])
    #expect(news["happenings"]?.elements.first?["text"]?.text == "by uid 1000 on b: because")
    let ofOne = try await watchers.answer(after: one["cursor"]?.text, job: "race-settlement", caller: Self.root)
    #expect(shown(ofOne) == ["command.job.pause race-settlement race-settlement"])
  }

  @Test func `a watch gets a tick at its begin and its end, from any node`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    try await tick("hourly", 1, "planned")
    try await owner.execute(
      """
      INSERT INTO settled.run (schedule, instant, due_at, is_own, is_first)
      SELECT schedule, instant, due_at, false, true FROM settled.occurrence WHERE schedule = 'hourly'
      """)
    var answer = try await watchers.answer(after: nil, job: nil, caller: Self.root)
    var seen: [String] = []
    for status in ["running", "ran"] {
      try await tick("hourly", 1, status)
      if status == "ran" { try await tick("hourly", 2, "ran") }
      time.advance(.seconds(1))
      answer = try await watchers.answer(after: answer["cursor"]?.text, job: "hourly", caller: Self.root)
      seen += shown(answer)
    }
    #expect(
      seen == [
        "occurrence.running hourly 2031-01-01T00:01:00.000Z", "occurrence.ran hourly 2031-01-01T00:01:00.000Z",
        "occurrence.ran hourly 2031-01-01T00:02:00.000Z",
      ])
    #expect(answer["happenings"]?.elements.last?["text"]?.text == "tick of 2031-01-01T00:02:00.000Z on b: 7 rows")
  }

  @Test func `a watch gets a tick that is committed after a later one`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    var answer = try await watchers.answer(after: nil, job: nil, caller: Self.root)
    let slow = try await database.connect()
    try await slow.execute("BEGIN")
    try await slow.execute(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
      VALUES ('slow', '2031-01-01Z', 'skipped', 'r', now(), now(), now())
      """)
    try await tick("quick", 1, "ran")
    time.advance(.seconds(1))
    answer = try await watchers.answer(after: answer["cursor"]?.text, job: nil, caller: Self.root)
    #expect(shown(answer).map { $0.prefix(20) } == ["occurrence.ran quick"])
    try await slow.execute("COMMIT")
    time.advance(.seconds(1))
    answer = try await watchers.answer(after: answer["cursor"]?.text, job: nil, caller: Self.root)
    #expect(shown(answer).map { $0.prefix(23) } == ["occurrence.skipped slow"])
  }

  @Test func `a watch without events is answered within 15 s, with one read a second`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    let first = try await watchers.answer(after: nil, job: nil, caller: Self.root)
    let began = time.timekeeper.now()
    let second = try await watchers.answer(after: first["cursor"]?.text, job: nil, caller: Self.root)
    #expect(shown(second) == [] && second["missed"] == .boolean(false))
    #expect(time.timekeeper.now() - began == Watchers.signOfLife)
  }

  @Test func `a watch has eight places, and an abandoned place is given to another`() async throws {
    let time = SteppingTime()
    let watchers = watchers(time)
    for _ in 0..<Watchers.watchersMax { _ = try await watchers.answer(after: nil, job: nil, caller: Self.root) }
    await #expect {
      try await watchers.answer(after: nil, job: nil, caller: Self.root)
    } throws: {
      ($0 as? CommandError)?.rule == Problem.Rule.busy
    }
    time.advance(Watchers.placeKept + .seconds(1))
    _ = try await watchers.answer(after: nil, job: nil, caller: Self.root)
  }

  @Test func `six of the eight watch places are for everybody, and three for one user`() async throws {
    let watchers = watchers()
    func answer(_ uid: UInt32, _ level: CommandLevel, after cursor: String? = nil) async throws -> String? {
      try await watchers.answer(
        after: cursor, job: nil, caller: AuthorizedPeer(uid: uid, gid: 1, pid: 1, level: level))[
          "cursor"]?.text
    }
    func refusal(_ uid: UInt32, _ level: CommandLevel) async -> String? {
      do {
        _ = try await answer(uid, level)
        return nil
      } catch {
        return (error as? CommandError)?.description
      }
    }
    let first = try await answer(7, .operate)
    for _ in 2...Watchers.placesOfOneMax { _ = try await answer(7, .read) }
    #expect(await refusal(7, .operate)?.contains("uid 7 has 3 open watches") == true)
    for uid: UInt32 in [8, 8, 9] { _ = try await answer(uid, .read) }
    #expect(await refusal(10, .read)?.contains("6 callers are watching") == true)
    for _ in 0..<2 { _ = try await answer(0, .admin) }
    #expect(await refusal(0, .admin)?.contains("8 callers are watching") == true)
    // A cursor is its user's: with another's nobody takes a place over.
    await #expect(throws: CommandError.self) { try await answer(11, .read, after: first) }
    #expect(try await answer(7, .read, after: first) != nil)
  }

  @Test func `a watch restarts with the cursor of another process, and reports missed events`() async throws {
    let other = try await watchers().answer(after: nil, job: nil, caller: Self.root)
    let answer = try await watchers().answer(after: other["cursor"]?.text, job: nil, caller: Self.root)
    #expect(answer["missed"] == .boolean(true) && shown(answer) == [])
    #expect(answer["cursor"] != other["cursor"])
  }

  @Test func `a watch gets all of a flood larger than its memory, and finds one job's events in it`() async throws {
    let watchers = watchers()
    let (one, some) = (
      try await watchers.answer(after: nil, job: nil, caller: Self.root),
      try await watchers.answer(after: nil, job: nil, caller: Self.root)
    )
    let count = 3 * WatchLog.keptMax
    try await owner.script(
      """
      INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
        SELECT CASE WHEN n = \(count) THEN 'day.closed' ELSE 'race.ended' END, n::text, '{}', now()
        FROM generate_series(1, \(count)) AS n;
      SELECT settled.number_events(100000);
      """)
    var keys: [String] = []
    var cursor = one["cursor"]?.text
    while keys.count < count {
      let answer = try await watchers.answer(after: cursor, job: nil, caller: Self.root)
      try #require(answer["missed"] == .boolean(false) && !shown(answer).isEmpty)
      keys += shown(answer).map { String($0.split(separator: " ")[2]) }
      cursor = answer["cursor"]?.text
    }
    #expect(keys == (1...count).map { "\($0)" })
    // A slow watcher gets a notice of what it missed, and finds the rest.
    let late = try await watchers.answer(after: some["cursor"]?.text, job: "daily-reset", caller: Self.root)
    #expect(late["missed"] == .boolean(true) && shown(late) == ["day.closed daily-reset \(count)"])
  }

  @Test func `a watch is neither advanced by a forged cursor nor delayed by an idle reader`() async throws {
    let watchers = watchers()
    let (one, two) = (
      try await watchers.answer(after: nil, job: nil, caller: Self.root),
      try await watchers.answer(after: nil, job: nil, caller: Self.root)
    )
    let place = try WatchCursor(try #require(two["cursor"]?.text))
    let far = WatchCursor(run: place.run, watcher: place.watcher, next: .max).text
    let forged = try await watchers.answer(after: far, job: nil, caller: Self.root)
    #expect(forged["missed"] == .boolean(true) && forged["cursor"]?.text != far)
    let count = 2 * WatchLog.keptMax
    try await owner.script(
      """
      INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
        SELECT 'race.ended', n::text, '{}', now() FROM generate_series(1, \(count)) AS n;
      SELECT settled.number_events(100000);
      """)
    var keys: [String] = []
    var cursor = one["cursor"]?.text
    while keys.count < count {
      let answer = try await watchers.answer(after: cursor, job: nil, caller: Self.root)
      try #require(answer["missed"] == .boolean(false) && !shown(answer).isEmpty, "after \(keys.count)")
      keys += shown(answer).map { String($0.split(separator: " ")[2]) }
      cursor = answer["cursor"]?.text
      // This one always asks for its first page again.
      _ = try await watchers.answer(after: two["cursor"]?.text, job: nil, caller: Self.root)
    }
    #expect(keys == (1...count).map { "\($0)" })
  }
}
