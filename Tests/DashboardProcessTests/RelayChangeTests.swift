import ControlAPI
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Changes by a dashboard") struct RelayChangeTests {
  @Test func `a repeated change has one effect and one row of the audit, with the operator's uid`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let daemon = try SettledProcess.daemon(database, node: "changed", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let page = try await DashboardProcess(daemon.controlSocket, ["--changes"])
    let body = #"{"key": "racing.flag_threshold", "value": "7", "reason": "a test"}"#
    for _ in 1...3 {
      let answer = try await page.call("/command/set", body: body, headers: ["X-Request-Id": "dialog-1"])
      #expect(answer.status == 200 && answer.body.contains("\"7\""), "\(answer.body)")
    }
    for rows in ["command = 'set'", "command = 'set' AND uid = \(geteuid()) AND reason = 'a test'"] {
      #expect(try await owner.query("SELECT count(*) FROM settled.audit WHERE \(raw: rows)").one(Int64.self) == 1)
    }
    // The daemon's own refusal, as settlectl shows it.
    let refused = try await page.call(
      "/command/set", body: #"{"key": "racing.flag_threshold", "value": "0"}"#, headers: ["X-Request-Id": "dialog-2"])
    #expect(refused.status == 400 && refused.body.contains("a whole number from 1 to 100"), "\(refused.body)")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
