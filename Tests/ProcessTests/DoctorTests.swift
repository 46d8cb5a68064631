import Foundation
import Postgres
import TestSupport
import Testing

@Suite("settlectl doctor on this node") struct DoctorTests {
  @Test func `doctor reports changed configuration, a missing directory and an unreachable socket`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let file = try ConfigurationFile()
    try file.write(node: "doctor", hasGroups: true)
    let state = file.directory.path + "/state"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
    let daemon = try SettledProcess(
      ["run", "--config", file.path],
      [
        "SETTLED_DATABASE_URL": database.url(.daemon), "SETTLED_STATE_DIRECTORY": state,
        "SETTLED_SOCKET_GROUP": SettledProcess.adminsAreOurs["SETTLED_SOCKET_GROUP"] ?? "root",
      ], scratch: file.directory)
    try await daemon.log("ready")
    @Sendable func findings() async throws -> [String: (isOk: Bool, finding: String)] {
      let finished = try await daemon.settlectl("doctor", "--json")
      let answer = try Answered(finished, exit: finished.exit == .code(0) ? 0 : 1)
      return Dictionary(
        uniqueKeysWithValues: (0..<answer.count()).map {
          (answer.text($0, "check") ?? "", (answer.number($0, "ok") == 1, answer.text($0, "finding") ?? ""))
        })
    }
    var found = try await findings()
    for name in ["configuration", "sockets", "state directory", "memory", "schema", "replication", "dead rows"] {
      #expect(found[name]?.isOk == true, "\(name): \(String(describing: found[name]))")
    }

    try file.write(node: "another", hasGroups: true)
    try FileManager.default.removeItem(atPath: state)
    try FileManager.default.removeItem(atPath: daemon.healthSocket)
    try await untilTrue("the lost socket") { try await findings()["sockets"]?.isOk == false }
    found = try await findings()
    #expect(found["configuration"]?.finding == "these keys have changed since startup: node")
    #expect(found["state directory"]?.isOk == false)
    try "no such key = 1\n".write(toFile: file.path, atomically: true, encoding: .utf8)
    #expect(try await findings()["configuration"]?.finding.contains("not valid") == true)
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
