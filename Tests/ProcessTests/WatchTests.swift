import Foundation
import Postgres
import TestSupport
import Testing

@Suite("settlectl watch") struct WatchTests {
  private func settled(_ watch: SettledProcess) -> [String] {
    watch.output.text.split(separator: "\n").filter { $0.contains(#""kind": "race.settled""#) }.map(String.init)
  }

  @Test func `settlectl watch shows events of every node once, and survives kills and stops of its daemon`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let own = try ScratchDirectory()
    let places = [
      "SETTLED_CONTROL_SOCKET": own.path + "/control.sock", "SETTLED_HEALTH_SOCKET": own.path + "/health.sock",
    ].merging(SettledProcess.adminsAreOurs) { $1 }
    let first = try SettledProcess.daemon(database, node: "watched", places)
    let other = try SettledProcess.daemon(database, node: "other", SettledProcess.adminsAreOurs)
    for daemon in [first, other] { try await daemon.log("ready") }
    // What the watched node would do is done by the other.
    #expect(try await first.settlectl("drain").exit == .code(0))
    let watch = try SettledProcess(
      ["watch", "--json"], ["SETTLED_CONTROL_SOCKET": first.controlSocket], program: SettledProcess.tool)
    let people = try SettledProcess(
      ["watch", "--job", "race-settlement"], ["SETTLED_CONTROL_SOCKET": first.controlSocket],
      program: SettledProcess.tool)
    try await untilTrue("both watchers' places") {
      try await owner.query("SELECT settled.emit('race.ended', 'probe', '{}', settled.clock())").count == 1
        && watch.output.text.contains("probe")
    }
    let races = try await Herd(races: 8, entries: 4).write(owner)
    try await owner.waitUntilSettled(races)
    try await untilTrue("8 settled races, once each (\(watch.output.text))") { settled(watch).count == 8 }
    try await untilTrue("a line for people") { people.output.text.contains("race.settled  race-settlement  ") }
    #expect(!people.output.text.contains("race.ended"))

    first.killHard()
    _ = try await first.exit()
    try await watch.log("retrying")
    let again = try SettledProcess.daemon(database, node: "watched", places)
    try await watch.log("the daemon is responding again")
    let more = try await Herd(races: 3, entries: 4).write(owner)
    try await owner.waitUntilSettled(more)
    try await untilTrue("3 more") { settled(watch).count == 11 }
    #expect(Set(settled(watch)).count == 11)

    // A clean stop is no bug of which a watch dies.
    again.terminate()
    #expect(try await again.exit() == .code(0))
    let third = try SettledProcess.daemon(database, node: "watched", places)
    try await third.log("ready")
    try await untilTrue("the watch asks the third") {
      try await owner.query("SELECT settled.emit('race.ended', 'third', '{}', settled.clock())").count == 1
        && watch.output.text.contains("third")
    }
    #expect(Set(settled(watch)).count == 11)

    for tool in [watch, people] { tool.terminate() }
    for tool in [watch, people] { #expect(try await tool.exit() == .signal(SIGTERM)) }
    for daemon in [third, other] { daemon.terminate() }
    for daemon in [third, other] { #expect(try await daemon.exit() == .code(0)) }
  }

  @Test func `settlectl watch ends at once without a daemon or with an unknown job`() async throws {
    let nobody = try await SettledProcess(["watch"], program: SettledProcess.tool).finished()
    #expect(nobody.exit == .code(69))
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "jobs", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let unknown = try await daemon.settlectl("watch", "--job", "no-such-job")
    #expect(unknown.exit == .code(1) && unknown.errors.contains("rule job"), "\(unknown.errors)")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
