import Foundation
import Postgres
import TestSupport
import Testing

/// The race of Gateway.docc/FirstRaceOverHTTP.md, with the page's own lines, after the race of README.
@Suite("The first race over HTTP", .timeLimit(.minutes(5))) struct HTTPRaceTests {
  /// The page's places, and those of this test.
  private struct Place {
    let database: SettledDatabase
    let programs = URL(filePath: SettledProcess.program).deletingLastPathComponent().path()
    let directory: ScratchDirectory

    /// The blocks in a language, as they are run here.
    func blocks(_ language: String, at address: String) throws -> [String] {
      let gateway = "'\(database.url(.gateway))'"
      return try RulePage("Gateway.docc/FirstRaceOverHTTP.md").text.matches(of: /```(\w+)\n((?:.*\n)*?)```/)
        .filter { $0.1 == language }.map { block in
          String(block.2).replacing(".build/debug/", with: programs).replacing("127.0.0.1:8080", with: address)
            .replacing("'postgresql:///first?host=/run/postgresql&port=5499&user=settled_gateway'", with: gateway)
            .replacing("psql -", with: "psql '\(database.url(.owner))' -")
        }
    }

    func shell(_ lines: String, _ environment: [String: String] = [:]) async throws -> Finished {
      try await SettledProcess(
        ["-c", "set -e\ncd '\(directory.path)'\n\(lines)"], environment, program: "/bin/sh"
      ).finished(within: .seconds(240))
    }
  }

  @Test(.enabled(if: SwiftToolChain.absence == nil, "\(SwiftToolChain.absence ?? "")"))
  func `three people race over HTTP with curl, Python and Swift, as the page prints it`() async throws {
    let place = try Place(database: await .simulated(), directory: ScratchDirectory())
    let readme = try #require(Checkout.text("README.md").firstMatch(of: /```sql\n((?:.*\n)*?)```/)).1
    let session = try await place.database.connect()
    try await session.script(String(readme))
    let daemon = try SettledProcess.daemon(place.database, node: "first")
    // The gateway starts with the variables that the page exports, at a free port.
    let exports = try #require(place.blocks("sh", at: "127.0.0.1:0").first?.split(separator: "\n").dropLast())
    let exported = try await place.shell(
      exports.joined(separator: "\n") + "\nexport HOME='\(place.directory.path)'\nenv -0")
    var environment: [String: String] = [:]
    for line in exported.output.split(separator: "\0") {
      let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
      if parts[0].hasPrefix("SETTLED_GATEWAY_") || parts[0] == "HOME" { environment[parts[0]] = parts.last }
    }
    environment["SETTLED_GATEWAY_LISTEN"] = "127.0.0.1:0"
    let gateway = try SettledProcess(["run"], environment, program: place.programs + "settled-gateway")
    try await gateway.log("ready")
    let address = try #require(gateway.errors.text.firstMatch(of: /socket=(127\.0\.0\.1:\d+)/)).1

    for (language, name) in [("python", "client.py"), ("swift", "client.swift")] {
      let blocks = try place.blocks(language, at: String(address))
      try #require(blocks.count == 1)
      try blocks[0].write(toFile: place.directory.path + "/" + name, atomically: true, encoding: .utf8)
    }
    let shell = try place.blocks("sh", at: String(address))
    try #require(shell.count == 5)
    let race = try await place.shell(
      [shell[1], shell[2], "python3 client.py", "swift client.swift", shell[3]].joined(separator: "\n"), environment)
    #expect(race.exit == .code(0), "\(race.output)\(race.errors)")
    #expect(race.output.contains("Bob has 4\n") && race.output.contains("Cat has 4\n"), "\(race.output)")

    // The page's table is what the people have, in the order of the leaderboard.
    let shown = try await session.query(
      """
      SELECT concat_ws(' ', a.display_name, trim_scale((racing.wallet(a.id) ->> 'balancePence')::numeric / 100
        - e.prize_pence::numeric / 100), trim_scale(e.prize_pence::numeric / 100),
        trim_scale((racing.wallet(a.id) ->> 'balancePence')::numeric / 100))
      FROM racing.entry AS e JOIN racing.athlete AS a ON a.id = e.athlete_id
      WHERE a.display_name NOT LIKE 'Racer %' ORDER BY e.rank
      """
    ).decode(String.self)
    let printed = try RulePage("Gateway.docc/FirstRaceOverHTTP.md").rows("The payment").map { row in
      try ["person", "after the entry", "prize", "balance"].map(row.text).joined(separator: " ")
    }
    #expect(shown == printed)
    let names = race.output.matches(of: /"userName": "(\w+)"/).map { String($0.1) }
    #expect(names == ["Ann", "Bob", "Cat"])
    #expect(race.output.contains(#""balance": 6.23, "resting": 2.23"#), "\(race.output)")
    await session.close()
    gateway.terminate()
    daemon.terminate()
  }
}
