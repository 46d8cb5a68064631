import Postgres
import TestSupport
import Testing

@Suite("settlectl and a daemon: schedules") struct OperatorScheduleTests {
  private static let keys: Set<String> = [
    "name", "cron", "at", "zone", "call", "missed", "max", "within", "timeout", "splay", "paused", "nextDue", "builtIn",
  ]

  /// A daemon on a standing clock, with a function that operators may call.
  private func start() async throws -> (SettledDatabase, SettledProcess) {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-03-29T12:00:00Z")
    let owner = try await database.connect()
    try await owner.script(
      """
      CREATE SCHEMA ops; GRANT USAGE ON SCHEMA ops TO settled_schedule;
      CREATE FUNCTION ops.work() RETURNS SETOF integer LANGUAGE sql AS 'SELECT generate_series(1, 3)';
      """)
    let daemon = try SettledProcess.daemon(database, node: "timely", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    return (database, daemon)
  }

  @Test func `a schedule is added, listed, run, audited, paused, resumed and removed`() async throws {
    let (database, daemon) = try await start()
    let own = try await daemon.settlectl("schedule", "list")
    #expect(own.fits && own.output.contains("time-zone-check") && own.output.contains("built in"))
    let jobs = try await daemon.settlectl("jobs")
    #expect(jobs.output.contains("time-zone-check"), "\(jobs)")
    #expect(try await daemon.settlectl("job", "run", "time-zone-check").exit == .code(0))
    let added = try Answered(
      try await daemon.settlectl(
        "schedule", "add", "nightly", "--cron", "*/5 * * * *", "--zone", "Europe/London", "--call", "ops.work",
        "--missed", "all", "--max", "3", "--within", "1h", "--timeout", "30s", "--json"))
    #expect(added.keys() == Self.keys)
    #expect(added.text("nextDue") == "2031-03-29T12:05:00.000Z")
    #expect(added.number("max") == 3 && added.text("within") == "1h" && added.text("timeout") == "30s")
    let again = try await daemon.settlectl("schedule", "add", "nightly", "--cron", "1 1 * * *", "--call", "ops.work")
    #expect(again.exit == .code(1))
    #expect(again.errors.contains("--replace") && again.errors.contains("(rule name)"))
    let replaced = try await daemon.settlectl(
      "schedule", "add", "nightly", "--cron", "*/10 * * * *", "--call", "ops.work", "--splay", "0", "--replace")
    #expect(replaced.exit == .code(0) && replaced.fits, "\(replaced.errors)")
    #expect(replaced.output.contains("nightly  */10 * * * *  UTC   2031-03-29 12:10:00Z"), "\(replaced.output)")

    try await database.setClock("2031-03-29T12:10:01Z")
    try await untilTrue("the tick's end") {
      try Answered(try await daemon.settlectl("occurrences", "nightly", "--status", "ran", "--json")).count() == 1
    }
    let ran = try Answered(try await daemon.settlectl("occurrences", "--from", "2031-03-29T12:10:00Z", "--json"))
    #expect(ran.text(0, "instant") == "2031-03-29T12:10:00.000Z" && ran.number(0, "rows") == 3)
    #expect(
      ran.keys(0) == [
        "id", "schedule", "instant", "status", "reason", "startedAt", "finishedAt", "node", "rows", "dueAt",
        "plannedAt",
        "backfilled", "cursor",
      ])
    let shown = try await daemon.settlectl("occurrences", "--limit", "1")
    #expect(shown.fits && shown.output.contains("2031-03-29 12:10:00Z  ran") && shown.output.contains("timely"))
    let audit = try Answered(try await daemon.settlectl("audit", "schedule", "--schedule", "nightly", "--json"))
    #expect(audit.number("occurrences") == 1)

    let paused = try await daemon.settlectl("schedule", "pause", "nightly")
    #expect(paused.exit == .code(0) && paused.output.contains("paused"))
    let resumed = try Answered(try await daemon.settlectl("schedule", "resume", "nightly", "--json"))
    #expect(resumed.text("nextDue") == "2031-03-29T12:20:00.000Z")
    #expect(try await daemon.settlectl("schedule", "remove", "nightly").output == "nightly was removed\n")
    let gone = try await daemon.settlectl("schedule", "remove", "nightly")
    #expect(gone.exit == .code(1) && gone.errors.contains("(rule schedule)"))
    #expect(try await !daemon.settlectl("schedule", "list").output.contains("nightly"))
  }

  @Test func `past ticks are shown first, then run, and an audit with a missing row exits 1`() async throws {
    let (database, daemon) = try await start()
    _ = try Answered(
      try await daemon.settlectl("schedule", "add", "hourly", "--cron", "0 * * * *", "--call", "ops.work", "--json"))
    try await database.setClock("2031-03-29T14:00:01Z")
    try await untilTrue("the ticks' ends") {
      try Answered(try await daemon.settlectl("audit", "schedule", "--schedule", "hourly", "--json"))
        .number("occurrences") == 2
    }
    let owner = try await database.connect()
    try await untilTrue("their ends") {
      try await owner.query("SELECT count(*) FROM settled.occurrence WHERE finished_at IS NULL").one(Int64.self) == 0
    }
    try await owner.execute("DELETE FROM settled.occurrence WHERE instant = '2031-03-29T13:00:00Z'")
    let audit = try await daemon.settlectl("audit", "schedule")
    #expect(audit.exit == .code(1))
    #expect(audit.output.contains("1 gap, 0 duplicates"))
    #expect(audit.output.contains("gap   hourly    2031-03-29 13:00:00Z"))
    #expect(try Answered(try await daemon.settlectl("audit", "schedule", "--json"), exit: 1).count("gaps") == 1)

    let range = ["--from", "2031-03-29T12:30:00Z", "--to", "2031-03-29T14:00:00Z"]
    let dry = try await daemon.settlectl(["schedule", "backfill", "hourly"] + range + ["--dry-run"])
    #expect(dry.output.hasPrefix("1 tick would run; nothing was written\n"), "\(dry.output)\(dry.errors)")
    #expect(try await daemon.settlectl("audit", "schedule").exit == .code(1))
    let filled = try Answered(
      try await daemon.settlectl(["schedule", "backfill", "hourly"] + range + ["--json"]))
    #expect(filled.text(0, "instant") == "2031-03-29T13:00:00.000Z" && filled.text(0, "status") == "planned")
    #expect(try await daemon.settlectl("audit", "schedule").output.contains("no gaps, no duplicates"))
  }

  @Test func `a preview of a schedule shows the effect of a clock change`() async throws {
    let (_, daemon) = try await start()
    let arguments = ["--cron", "30 1 * * *", "--zone", "Europe/London", "--from", "2031-03-29T12:00:00Z"]
    let json = try Answered(
      try await daemon.settlectl(["schedule", "preview"] + arguments + ["--count", "2", "--json"]))
    #expect(json.count() == 2)
    #expect(json.text(0, "note") == "gap" && json.text(0, "instant") == "2031-03-30T01:00:00.000Z")
    #expect(json.isNull(1, "note") && json.text(1, "instant") == "2031-03-31T00:30:00.000Z")
    let shown = try await daemon.settlectl("schedule", "preview", "--cron", "0 0 * * 1")
    #expect(shown.fits && shown.output.split(separator: "\n").count == 11)
    let bad = try await daemon.settlectl("schedule", "preview", "--cron", "99 * * * *")
    #expect(bad.exit == .code(64) && bad.errors.contains("(rule cron)"))
  }
}
