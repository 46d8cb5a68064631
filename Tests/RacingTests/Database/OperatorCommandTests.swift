import Engine
import Operations
import ControlAPI
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("An operator's command of racing")
struct OperatorCommandTests {
  private func run(
    _ day: RaceDay, _ name: String, _ id: Int64? = nil, reason: String? = nil, explain: Bool = false,
    more: [String: ParameterValue] = [:]
  ) async throws -> JSON {
    let gate = day.course.database.context(day.pool).gate
    let commands = RacingModule().commands(in: ModuleContext(gate: gate))
    let command = try #require(commands.first { $0.name == name })
    var values = more
    values["id"] = id.map { .integer($0) }
    values["reason"] = reason.map { .text($0) }
    if explain { values["explain"] = .boolean(true) }
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .admin), requestId: nil, values: values)
    let job = JobRunner(RaceOrderJob(gate: gate), in: day.course.database.context(day.pool))
    let working = Task {
      while !Task.isCancelled { try await job.runAllDue() }
    }
    defer { working.cancel() }
    return JSON(text: try await CommandDispatcher(commands, pool: day.pool, node: "test").run(command, call))
  }

  private func at<Value: PostgresDecodable>(_ day: RaceDay, _ json: JSON, _ path: String, as type: Value.Type)
    async throws -> Value
  {
    let cast = type == Int64.self ? "bigint" : "text"
    return try await day.session.query("SELECT (\(json) #>> \(path)::text::text[])::\(raw: cast)").one(type)
  }

  @Test func `open reviews are listed in stable pages, and a page whose start is gone is an error`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let ids = field.activities.compactMap { $0 }
    let users = try await day.course.spectators(3)
    try await day.course.flag(ids[0], by: [users[0]])
    try await day.course.flag(ids[1], by: [users[0], users[1]])
    try await day.course.flag(ids[2], by: users)
    try await day.course.flag(ids[3], by: users)
    try await day.escalate()
    let whole = try await day.session.query("SELECT racing.flagged()").one(JSON.self)
    let list = try await run(day, "review.list")
    let bare = try await day.session.query("SELECT jsonb_agg(x - 'stakePence') FROM jsonb_array_elements(\(list)) AS x")
      .one(JSON.self)
    #expect(try await same(day, bare, whole))
    let pool = try await day.session.query(
      """
      SELECT sum(e.fee_pence)::bigint - floor(sum(e.fee_pence) * max(r.platform_fee_percent) / 100)::bigint
      FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
      """
    ).one(Int64.self)
    #expect(pool > 0)
    for index in 0..<4 { #expect(try await at(day, list, "{\(index),stakePence}", as: Int64.self) == pool) }
    var (seen, after) = ([Int64](), Int64?.none)
    for _ in 0..<4 {
      var more: [String: ParameterValue] = ["limit": .integer(1)]
      more["after"] = after.map { .integer($0) }
      after = try await at(day, try await run(day, "review.list", more: more), "{0,activity,id}", as: Int64.self)
      seen += [after].compactMap { $0 }
    }
    #expect(seen == [ids[2], ids[3], ids[1], ids[0]])
    let last = try await run(day, "review.list", more: ["after": .integer(ids[0])])
    #expect(last.text == "[]")
    await #expect(throws: CommandError.self) { try await run(day, "review.list", more: ["after": .integer(99_999)]) }
  }

  private func same(_ day: RaceDay, _ left: JSON, _ right: JSON) async throws -> Bool {
    try await day.session.query("SELECT \(left) = \(right)").one(Bool.self)
  }

  @Test func `a shown review has the field, flags and effect of each decision, and changes nothing`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let leader = try #require(field.activities[0])
    try await day.course.flag(leader, by: try await day.course.spectators(3))
    try await day.escalate()
    try await day.finish()
    let page = try await day.page()
    let shown = try await run(day, "review.show", leader)
    #expect(try await at(day, shown, "{activity,id}", as: Int64.self) == leader)
    #expect(try await at(day, shown, "{flags,2,reason}", as: String.self) == "suspicious_speed")
    #expect(try await at(day, shown, "{affected,0,raceId}", as: Int64.self) == field.race)
    #expect(try await at(day, shown, "{affected,0,field,score}", as: Int64.self) == 6000)
    #expect(try await at(day, shown, "{affected,0,field,best,0}", as: Int64.self) == 5000)
    #expect(try await at(day, shown, "{affected,0,now,waitingFor,reason}", as: String.self) == "review")
    #expect(try await at(day, shown, "{affected,0,approve,payouts,0,entryId}", as: Int64.self) == field.entries[0])
    #expect(try await at(day, shown, "{affected,0,disqualify,payouts,0,entryId}", as: Int64.self) == field.entries[1])
    #expect(try await at(day, shown, "{affected,0,disqualify,refunds,0,amountPence}", as: Int64.self) == 100)
    let people = try await day.session.query(
      """
      SELECT jsonb_agg(jsonb_build_object('entryId', e.id, 'athleteId', a.id, 'displayName', a.display_name) ORDER BY e.id)
      FROM racing.entry AS e JOIN racing.athlete AS a ON a.id = e.athlete_id WHERE e.race_id = \(field.race)
      """
    ).one(JSON.self)
    #expect(try await same(day, JSON(text: try await at(day, shown, "{affected,0,people}", as: String.self)), people))
    #expect(try await day.page() == page)
    #expect(try await day.course.activityStatus(leader) == "under_review")

    let explained = try await run(day, "race.show", field.race, explain: true)
    #expect(try await at(day, explained, "{hold,reason}", as: String.self) == "review")
    #expect(try await at(day, explained, "{hold,until}", as: String.self) == "2031-06-07T01:00:00.000Z")
    #expect(try await at(day, explained, "{hold,activities,0}", as: Int64.self) == leader)

    let decided = try await run(day, "review.approve", leader, reason: "looked at the track")
    #expect(try await at(day, decided, "{status}", as: String.self) == "verified")
    let kept = try await day.session.query("SELECT reviewer, note FROM racing.decision").one(String.self, String.self)
    #expect(kept == ("uid 7", "looked at the track"))
    try await day.settle()
    let settled = try await run(day, "review.show", leader)
    #expect(try await at(day, settled, "{affected,0,now,payouts,0,entryId}", as: Int64.self) == field.entries[0])
    #expect(try await day.differences() == [])
  }

  @Test func `a custom trigger's refusal keeps its words, and one of the product's schema is a bug`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: RaceDay.due)
    let vetoes = [
      ("RAISE EXCEPTION 'closed for the audit'", CommandError.Kind.refused, "database", "(P0001)"),
      ("RAISE EXCEPTION 'closed for the audit' USING ERRCODE = 'ZZ001'", .refused, "database", "(ZZ001)"),
      ("RAISE EXCEPTION 'closed for the audit' USING ERRCODE = 'P0004'", .bug, "bug", "closed for the audit"),
      ("NEW.input_hash := NULL", .bug, "bug", "not-null"),
    ]
    for (deed, kind, rule, words) in vetoes {
      try await day.session.script(
        """
        CREATE OR REPLACE FUNCTION public.veto() RETURNS trigger LANGUAGE plpgsql AS
          $f$ BEGIN \(deed); RETURN NEW; END $f$;
        CREATE OR REPLACE TRIGGER veto BEFORE INSERT ON racing.settlement FOR EACH ROW EXECUTE FUNCTION public.veto();
        """)
      let error = await #expect(throws: CommandError.self) { try await run(day, "race.settle", field.race) }
      #expect(error?.kind == kind && error?.rule == rule, "\(deed): \(String(describing: error))")
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      if kind == .refused { #expect(error?.description.contains("closed for the audit") == true) }
    }
    try await day.session.execute("DROP TRIGGER veto ON racing.settlement")
    _ = try await run(day, "race.settle", field.race)
    #expect(try await day.differences() == [])
  }

  @Test func `review commands list flagged activities, request more information, and disqualify once`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let (leader, other) = (try #require(field.activities[0]), try #require(field.activities[1]))
    #expect(try await run(day, "review.list").text == "[]")
    try await day.course.flag(other, by: try await day.course.spectators(1))
    try await day.course.flag(leader, by: try await day.course.spectators(3))
    try await day.escalate()
    let list = try await run(day, "review.list")
    #expect(try await at(day, list, "{0,activity,id}", as: Int64.self) == leader, "under review stands first")
    #expect(try await at(day, list, "{0,state}", as: String.self) == "open")
    #expect(try await at(day, list, "{1,activity,id}", as: Int64.self) == other)
    #expect(try await day.session.query("SELECT \(list) #> '{1,level}' = 'null'").one(Bool.self))

    for question in ["send a track", "and the boat's name"] {
      let asked = try await run(day, "review.request-info", leader, reason: question)
      #expect(try await at(day, asked, "{status}", as: String.self) == "under_review")
    }
    let notes = try await day.course.events("review.info_requested")
    #expect(notes.count == 2 && notes[1].contains("and the boat's name") && notes[1].contains("uid 7"))
    try await expect("reason") { _ = try await run(day, "review.disqualify", leader) }
    let out = try await run(day, "review.disqualify", leader, reason: "motor")
    #expect(try await at(day, out, "{affectedRaces,0}", as: Int64.self) == field.race)
    for word in ["approve", "disqualify", "request-info"] {
      try await expect("decided") { _ = try await run(day, "review.\(word)", leader, reason: "again") }
    }
    try await expect("activity") { _ = try await run(day, "review.disqualify", -1, reason: "none") }
    let audit: Statement = "SELECT command FROM settled.audit WHERE target = \("activity \(leader)") ORDER BY id"
    #expect(
      try await day.session.query(audit).decode(String.self) == [
        "review.request-info", "review.request-info", "review.disqualify",
      ])
    try await day.finish()
    #expect(try await day.course.payouts(field.race).first?.1 == field.entries[1])
    #expect(try await day.course.worth(field.athletes[0]) == 10_000)
    #expect(try await day.differences() == [])
  }

  @Test func `racing commands cancel a race once with every fee returned, and not after the settlement`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, nil])
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    let answer = try await run(day, "race.cancel", field.race, reason: "storm")
    #expect(try await at(day, answer, "{status}", as: String.self) == "cancelled")
    #expect(try await at(day, answer, "{refundedPence}", as: Int64.self) == 300)
    #expect(try await day.worths(field.athletes) == [10_000, 10_000, 10_000])
    let event = #"{"raceId": \#(field.race), "reason": "storm", "refundedPence": 300}"#
    #expect(try await day.course.events("race.cancelled") == [event])
    try await expect("status") { _ = try await run(day, "race.cancel", field.race, reason: "again") }
    try await expect("race") { _ = try await run(day, "race.cancel", -1, reason: "none") }
    try await expect("reason") { _ = try await run(day, "race.cancel", field.race) }

    let other = try await day.course.race(type: "fastest_1km")
    _ = try await day.course.enter(field.athletes[1], other)
    try await day.finish()
    #expect(try await day.course.status(other) == "settled")
    try await expect("status") { _ = try await run(day, "race.cancel", other, reason: "too late") }
    #expect(try await day.differences() == [])
  }

  @Test func `racing commands end a withdrawal once`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    var ids: [Int64] = []
    for key in ["a", "b"] {
      ids.append(
        try await day.session.query("SELECT (racing.withdraw(\(athlete), 400, \(key))->>'id')::bigint").one(Int64.self))
    }
    #expect(try await day.course.purse(athlete) == [9200, 800, 0])
    let done = try await run(day, "withdrawal.complete", ids[0])
    #expect(try await at(day, done, "{status}", as: String.self) == "completed")
    for _ in 0..<2 {
      let failed = try await run(day, "withdrawal.fail", ids[1], reason: "account closed")
      #expect(try await at(day, failed, "{status}", as: String.self) == "failed")
    }
    #expect(try await day.course.purse(athlete) == [9600, 0, 0])
    try await expect("status") { _ = try await run(day, "withdrawal.fail", ids[0], reason: "late") }
    try await expect("status") { _ = try await run(day, "withdrawal.complete", ids[1]) }
    let newest = try await day.session.query(
      "SELECT t->>'kind', t->>'amountPence', t->>'status' FROM jsonb_array_elements(racing.transactions(\(athlete), max => 1)) AS t"
    ).one(String.self, String.self, String.self)
    #expect(newest == ("withdrawal", "400", "completed"))
    #expect(try await day.differences() == [])
  }

  @Test func `racing commands stop withdrawals until they are resumed, and what is pending can be ended meanwhile`()
    async throws
  {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    let pending = try await day.session.query(
      "SELECT (racing.withdraw(\(athlete), 400, 'before')->>'id')::bigint"
    ).one(Int64.self)
    try await expect("reason") { _ = try await run(day, "withdrawals.stop") }
    let stopped = try await run(day, "withdrawals.stop", reason: "the books differ")
    #expect(try await at(day, stopped, "{stopped}", as: String.self) == "true")
    let problem = "withdrawals are stopped: the books differ (settlectl withdrawals resume)"
    #expect(try await at(day, stopped, "{problem}", as: String.self) == problem)

    let refused = try await day.session.refusal(of: "SELECT racing.withdraw(\(athlete), 100, 'meanwhile')")
    #expect(refused == Refusal("SD503", "withdrawals-stopped"))
    // A repeated call gets the answer of the first.
    _ = try await day.session.query("SELECT racing.withdraw(\(athlete), 400, 'before')")
    let done = try await run(day, "withdrawal.complete", pending)
    #expect(try await at(day, done, "{status}", as: String.self) == "completed")
    _ = try await day.session.query("SELECT racing.deposit(\(athlete), 50, 'deposit')")

    let again = try await run(day, "withdrawals.stop", reason: String(repeating: "long ", count: 1000))
    #expect(again.text.utf8.count < 500)
    let resumed = try await run(day, "withdrawals.resume")
    #expect(try await at(day, resumed, "{stopped}", as: String.self) == "false")
    _ = try await day.session.query("SELECT racing.withdraw(\(athlete), 100, 'meanwhile')")
    _ = try await run(day, "withdrawals.resume")
    #expect(try await day.course.purse(athlete) == [9550, 100, 0])
    let audited = try await day.session.query(
      "SELECT string_agg(a.command, ' ' ORDER BY a.id) FROM settled.audit AS a WHERE a.target = 'withdrawals'"
    ).one(String.self)
    #expect(audited == "withdrawals.stop withdrawals.stop withdrawals.resume withdrawals.resume")
  }

  @Test func `racing commands correct a frozen profile with a reason, and the audit has both`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    _ = try await day.course.enter(athlete, day.course.race())
    func correct(_ more: [String: ParameterValue], kind: String = "athlete", reason: String? = "a passport")
      async throws -> JSON
    {
      let values = more.merging(["kind": .text(kind)]) { $1 }
      return try await run(day, "person.correct", athlete, reason: reason, more: values)
    }
    try await expect("kind") { _ = try await correct(["gender": .text("female")], kind: "runner") }
    try await expect("change") { _ = try await correct([:]) }
    try await expect("reason") { _ = try await correct(["gender": .text("female")], reason: nil) }
    try await expect("gender") { _ = try await correct(["gender": .text("x")]) }
    try await expect("date-of-birth") { _ = try await correct(["dateOfBirth": .text("31.1.1990")]) }
    let answer = try await correct(["dateOfBirth": .text("1990-01-31"), "gender": .text("female")])
    #expect(try await at(day, answer, "{dateOfBirth}", as: String.self) == "1990-01-31")
    #expect(try await at(day, answer, "{gender}", as: String.self) == "female")
    let audited = try await day.session.query(
      """
      SELECT concat_ws(' ', a.target, a.before ->> 'gender', a.after ->> 'gender', a.reason) FROM settled.audit AS a
      WHERE a.command = 'person.correct'
      """
    ).decode(String.self)
    #expect(audited == ["profile of athlete \(athlete) male female a passport"])
  }

  private func expect(_ rule: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
      Issue.record("not refused by \(rule)")
    } catch let error as CommandError {
      #expect(error.rule == rule)
    }
  }
}
