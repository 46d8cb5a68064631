import Postgres
import TestSupport
import Testing

@Suite("settlectl and a daemon: reviews, cancellations, withdrawals") struct OperatorRaceTests {
  /// A daemon on a standing clock with one race of four athletes and their outings.
  private struct Regatta {
    let course: Course
    let daemon: SettledProcess
    let race: Int64
    var athletes: [Int64] = []
    var activities: [Int64] = []

    init(speeds: [String] = ["6", "5", "4", "3"]) async throws {
      course = try await Course()
      race = try await course.race()
      for index in speeds.indices {
        let athlete = try await course.athlete("Athlete \(index)")
        _ = try await course.enter(athlete, race)
        athletes.append(athlete)
      }
      try await course.setClock("2031-06-03T12:00:00Z")
      for (index, speed) in speeds.enumerated() where !speed.isEmpty {
        activities.append(try await course.outing(athletes[index], stravaId: Int64(index + 1), maxSpeed: speed))
      }
      daemon = try SettledProcess.daemon(course.database, node: "regatta", SettledProcess.adminsAreOurs)
      try await daemon.log("ready")
      let session = course.session
      try await untilTrue("the validation") {
        try await session.query("SELECT count(*) FROM racing.activity WHERE status = 'pending'").one(Int64.self) == 0
      }
    }

    func flag(_ activity: Int64, times: Int) async throws {
      for index in 0..<times {
        let user = try await course.session.query(
          "SELECT racing.create_athlete(\("Spec \(index)"), user_type => 'spectator')"
        ).one(Int64.self)
        _ = try await course.session.query(
          "SELECT racing.flag_activity(\(activity), \(user), 'fake_activity', 'no water')")
      }
    }

    /// Waits until the race has a status, as settlectl shows it.
    func until(_ status: String) async throws {
      try await untilTrue("status \(status)") {
        try Answered(try await daemon.settlectl("race", "show", String(race), "--json")).text("status") == status
      }
    }
  }

  @Test func `a review is listed, shown with its stakes, queried and decided once`() async throws {
    let regatta = try await Regatta()
    let (daemon, leader) = (regatta.daemon, regatta.activities[0])
    #expect(try await daemon.settlectl("review", "list").output == "no flagged activities\n")
    try await regatta.flag(leader, times: 3)
    try await untilTrue("the review") {
      try Answered(try await daemon.settlectl("review", "list", "--json")).text(0, "state") == "open"
    }
    let list = try await daemon.settlectl("review", "list")
    #expect(list.fits && list.output.contains("Athlete 0") && list.output.contains("fake_activity (3)"))
    try await regatta.course.setClock("2031-06-04T01:00:00Z")
    try await regatta.until("ended")

    let shown = try await daemon.settlectl("review", "show", String(leader))
    #expect(shown.exit == .code(0) && shown.fits, "\(shown.output)\(shown.errors)")
    for part in [
      "average 3.33 m/s, top speed", "no water", "best others  5.000 m/s, 4.000 m/s, 3.000 m/s",
      "\(regatta.athletes[0])*  Athlete 0         -  1. £2.97           -",
      "waits for review until 2031-06-07 01:00:00Z",
      "refunds the fee for entry",
    ] { #expect(shown.output.contains(part), "\(part) in \(shown.output)") }

    let asked = try Answered(
      try await daemon.settlectl("review", "request-info", String(leader), "--reason", "send a track", "--json"))
    #expect(asked.text("status") == "under_review" && asked.text("decision") == "request_info")
    let unreasoned = try await daemon.settlectl("review", "approve", String(leader))
    #expect(unreasoned.exit == .code(64) && unreasoned.errors.contains("--reason"))
    let out = try await daemon.settlectl("review", "disqualify", String(leader), "--reason", "motor")
    #expect(out.output == "activity \(leader) is disqualified; races \(regatta.race) will be updated\n")
    let again = try await daemon.settlectl("review", "approve", String(leader), "--reason", "changed my mind")
    #expect(again.exit == .code(1) && again.errors.contains("disqualify (rule decided)"), "\(again.errors)")
    let none = try await daemon.settlectl("review", "show", "999999")
    #expect(none.exit == .code(1) && none.errors.contains("(rule activity)"))
    try await regatta.until("settled")
    #expect(try await regatta.course.payouts(regatta.race).first?.2 == 223)
    let log = try Answered(try await daemon.settlectl("audit", "log", "--json"))
    #expect(log.text(0, "command") == "review.disqualify" && log.text(0, "reason") == "motor")

    let overrule = ["review", "overrule", String(leader), "--reason", "no motor", "--decision"]
    let unknown = try await daemon.settlectl(overrule + ["request_info"])
    #expect(unknown.exit == .code(64) && unknown.errors.contains("(rule decision)"), "\(unknown.errors)")
    for races in ["; races \(regatta.race) will be updated", ""] {
      let overruled = try await daemon.settlectl(overrule + ["approve"])
      #expect(overruled.output == "activity \(leader) is verified\(races)\n", "\(overruled.errors)")
    }
    try await untilTrue("the correction") { try await regatta.course.payouts(regatta.race).first?.2 == 297 }
    try await Books.check(regatta.course.session)
  }

  @Test func `a race is cancelled once, and a withdrawal is completed or failed once`() async throws {
    let regatta = try await Regatta(speeds: ["6", "5"])
    let (daemon, session) = (regatta.daemon, regatta.course.session)
    let unreasoned = try await daemon.settlectl("race", "cancel", String(regatta.race))
    #expect(unreasoned.exit == .code(64) && unreasoned.errors.contains("--reason"))
    let cancelled = try await daemon.settlectl("race", "cancel", String(regatta.race), "--reason", "storm")
    #expect(cancelled.output == "race \(regatta.race) is cancelled; £2.00 was refunded\n", "\(cancelled.errors)")
    let again = try await daemon.settlectl("race", "cancel", String(regatta.race), "--reason", "storm")
    #expect(again.exit == .code(1) && again.errors.contains("(rule status)"))

    var ids: [Int64] = []
    for key in ["a", "b"] {
      let withdraw: Statement = "SELECT (racing.withdraw(\(regatta.athletes[0]), 400, \(key))->>'id')::bigint"
      ids.append(try await session.query(withdraw).one(Int64.self))
    }
    let done = try Answered(try await daemon.settlectl("withdrawal", "complete", String(ids[0]), "--json"))
    #expect(done.text("status") == "completed" && done.number("amountPence") == -400)
    let failed = try await daemon.settlectl("withdrawal", "fail", String(ids[1]), "--reason", "account closed")
    let back = "withdrawal \(ids[1]) of £4.00 is failed: the money is back in the wallet\n"
    #expect(failed.output == back, "\(failed.errors)")
    let other = try await daemon.settlectl("withdrawal", "complete", String(ids[1]))
    #expect(other.exit == .code(1) && other.errors.contains("(rule status)"))
    #expect(try await regatta.course.balance(regatta.athletes[0]) == 9600)
    try await Books.check(session)
  }

  @Test func `a race without a ranked entry shows its refunds, before and after`() async throws {
    let regatta = try await Regatta(speeds: ["", "", ""])
    let (daemon, race) = (regatta.daemon, String(regatta.race))
    try await regatta.course.setClock("2031-06-04T00:30:00Z")
    try await regatta.until("ended")
    let dry = try await daemon.settlectl("race", "settle", race, "--dry-run")
    #expect(dry.output.contains("refunds       £3.00"), "\(dry.output)\(dry.errors)")
    #expect(dry.output.contains("no entry is ranked, so every fee is refunded"))
    let before = try Answered(try await daemon.settlectl("race", "show", race, "--explain", "--json"))
    #expect(before.number("split", "refundedPence") == 300 && before.text("split", "outcome") == "void")
    try await regatta.course.setClock("2031-06-04T01:00:00Z")
    try await regatta.until("settled")
    let after = try await daemon.settlectl("race", "show", race, "--explain")
    #expect(after.fits && after.output.contains("refunded              £3.00"), "\(after.output)")
  }
}
