import Postgres
import TestSupport
import Testing

@Suite("The length of a text") struct TextTests {
  @Test func `the length of a refused text is counted in characters as people see them`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    for (call, words) in [
      ("'', 'reason', min => 1", "reason is shorter than 1 character"),
      ("'a', 'reason', min => 2", "reason is shorter than 2 characters"),
      ("'ab', 'name', 1", "name is longer than 1 character"),
    ] {
      let error = await #expect(throws: PostgresError.self) {
        try await session.execute("SELECT settled.check_text(\(raw: call))")
      }
      #expect(error?.message == words)
    }
  }

  @Test func `a name is kept in NFC, trimmed, and without what cannot be seen or turns others round`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    for (given, kept) in [
      ("  Ann \t", "Ann"), ("o\u{308}", "\u{f6}"), ("\u{200b}Ann\u{202e}eve\u{2066}", "Anneve"),
      ("\u{a0}Li\u{3000}", "Li"),
      ("\u{feff}A\u{ad}b", "Ab"), ("A  B", "A  B"), ("\u{1f468}\u{200d}\u{1f469}", "\u{1f468}\u{200d}\u{1f469}"),
      ("\u{2764}\u{fe0f}", "\u{2764}\u{fe0f}"), ("O'Brien-Łódź 李", "O'Brien-Łódź 李"), ("x\u{e0041}\u{e007f}", "x"),
      ("\u{200d}x\u{200c}", "x"),
    ] {
      let plain = try await session.query("SELECT settled.shown_name(\(given), 'name')").one(String.self)
      #expect(plain.unicodeScalars.elementsEqual(kept.unicodeScalars), "\(given.debugDescription)")
    }
    for empty in [
      "", " ", "\u{200b}", "\u{202e}\u{a0}", "\u{200d} \u{200d}", "\u{fe0f}", "\u{2800}\u{3164}", "\u{180b}\u{1d173}",
    ] {
      let refused = await #expect(throws: PostgresError.self) {
        try await session.execute("SELECT settled.shown_name(\(empty), 'display-name')")
      }
      #expect(refused?.sqlState == "SD400" && refused?.detail?.contains("display-name") == true)
    }
  }

  @Test func `names that people are found by are plain already, and each system keeps its shown names plain`()
    async throws
  {
    let session = try await SettledDatabase.simulated().connect()
    for username in [
      "ann ", " ann", "a\u{200b}nn", "ann\u{202e}", "o\u{308}", "a\u{200d}nn", "\u{200b}", "ann\u{fe0f}", "ann\u{180b}",
    ] {
      let refused = await #expect(throws: PostgresError.self) {
        try await session.execute("SELECT seasons.create_user(\(username), 'Ann', 'runner')")
      }
      #expect(refused?.detail?.contains(#""username""#) == true, "\(username.debugDescription)")
    }
    let raw = " A\u{200b}nn "
    try await session.execute("SELECT seasons.create_user('ann k', \(raw), 'runner')")
    try await session.execute("SELECT seasons.create_runner(\(raw), 2031, 'UA', true, true)")
    try await session.execute("SELECT achievements.create_user(1, \(raw))")
    try await session.execute("SELECT racing.create_athlete(\(raw))")
    try await session.execute("SELECT gateway.register('a@example.org', \(raw), 'racer', repeat('h', 40))")
    try await session.execute("SELECT racing.update_athlete(1, jsonb_build_object('displayName', \(raw)::text))")
    let names = try await session.query(
      """
      SELECT display_name FROM seasons.app_user UNION ALL SELECT name FROM seasons.runner
      UNION ALL SELECT name FROM achievements.person UNION ALL SELECT display_name FROM racing.athlete
      UNION ALL SELECT display_name FROM accounts.account
      """
    ).decode(String.self)
    #expect(names == Array(repeating: "Ann", count: 6))
  }
}
