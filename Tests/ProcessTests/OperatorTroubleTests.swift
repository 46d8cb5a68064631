import Engine
import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("settlectl and a daemon: problems") struct OperatorTroubleTests {
  @Test func `the error of a refused setting names the accepted values`() async throws {
    let database = try await SettledDatabase.simulated()
    let daemon = try SettledProcess.daemon(database, node: "limits", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    for (key, value, words) in [
      ("racing.flag_threshold", "0", "a whole number from 1 to 100"),
      ("racing.results_grace", "31 days", "a duration from 0s to 30d: a number with its unit (500ms, 30s,"),
      ("settled.event_retention", "90", "a duration from 1d to 3650d: a number with its unit"),
      ("racing.platform_fee_percent", "50.001", "a percentage from 0 to 50 with at most two decimals"),
      ("racing.review_reminders", "2h,1h", "increasing durations from 0s to 30d"),
      ("racing.prize_shares", "50,50,0", "three decreasing whole numbers above zero that sum to 100"),
      ("racing.time_zone", "Mars/Olympus", "the name of a time zone"),
    ] {
      let finished = try await daemon.settlectl("set", key, value)
      #expect(finished.exit == .code(64))
      #expect(finished.errors.hasPrefix("settlectl: \(key) must be \(words)"), "\(finished.errors)")
    }
  }

  @Test func `status and next show the same instant for a race that has not ended`() async throws {
    let course = try await Course()
    _ = try await course.race()
    let daemon = try SettledProcess.daemon(course.database, node: "next", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    // The race calendar's races are among them: which instant it is depends on whether it has run.
    for clock in ["2031-06-02T10:00:00Z", "2031-06-03T10:00:00Z"] {
      try await course.setClock(clock)
      for job in ["race-lifecycle", "race-settlement"] {
        try await untilTrue("one instant of \(job) at \(clock)") {
          let next = try Answered(try await daemon.settlectl("next", "--limit", "500", "--json"))
          let jobs = try Answered(try await daemon.settlectl("jobs", "--json"))
          let named = (0..<next.count()).first { next.text($0, "job") == job }
          let index = (0..<jobs.count()).first { jobs.text($0, "name") == job } ?? -1
          guard let named, let at = next.text(named, "at"), at > clock else { return false }
          return jobs.text(index, "nextDue") == at && jobs.number(index, "overdue") == 0
        }
      }
    }
  }

  @Test func `doctor and the journal report an absent database and lost notifications once each`()
    async throws
  {
    let cluster = try await EmbeddedPostgres.start()
    _ = try await Migrator().migrate(ConnectionOptions(url: cluster.url()))
    let daemon = try SettledProcess.daemon(
      url: cluster.url(user: "settled_daemon"), node: "away", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    #expect(try await daemon.settlectl("doctor").output.contains("the database responds"))
    try await cluster.pause()
    try await daemon.log("the database is unreachable")
    try await daemon.log("LISTEN connection lost")
    let doctor = try await daemon.settlectl("doctor")
    #expect(doctor.exit == .code(1))
    #expect(doctor.output.components(separatedBy: "checks were skipped").count == 2, "\(doctor.output)")
    let json = try Answered(try await daemon.settlectl("doctor", "--json"), exit: 1)
    let wrong = (0..<json.count()).filter { json.number($0, "ok") == 0 }.compactMap { json.text($0, "check") }
    #expect(wrong.contains("database") && Set(wrong).isSubset(of: ["database", "node", "groups"]), "\(wrong)")

    // The connection of the notifications is tried again and again meanwhile.
    for _ in 0..<8 { #expect(try await daemon.settlectl("doctor").exit == .code(1)) }
    try await cluster.resume()
    try await daemon.log("the database is back")
    let told = daemon.errors.text.components(separatedBy: "LISTEN connection lost").count - 1
    #expect((1...3).contains(told), "\(told) times: once for each kind of trouble")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    await cluster.stop()
  }
}
