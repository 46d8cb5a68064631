import Postgres
import TestSupport
import Testing

@Suite("Every named constraint") struct ConstraintTests {
  @Test func `every named constraint stops raw SQL that breaks it, by its name`() async throws {
    let course = try await Self.world()
    for (name, statement) in ConstraintCases.all {
      let error = await #expect(throws: PostgresError.self, "\(name): \(statement)") {
        try await course.session.transaction(commit: false) { try await $0.script(statement) }
      }
      #expect(
        error?.constraint == ConstraintCases.saidAs[name, default: name],
        "\(statement): \(error?.debugDescription ?? "no error")")
      #expect(error?.sqlState?.hasPrefix("23") == true, "\(name)")
    }
  }

  /// Named are all checks and unique keys, and those primary and foreign keys whose name the server did not choose.
  @Test func `every named constraint is in the table of this test`() async throws {
    let session = try await SettledDatabase.simulated().connect()
    let named = try await session.value(
      """
      SELECT array_agg(DISTINCT k.conname::text) FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
      WHERE n.nspname IN (SELECT nspname FROM pg_namespace WHERE nspowner = 'settled_owner'::regrole
          AND nspname !~ '^(pg_|information_schema$|public$)')
        AND (k.contype IN ('c', 'u', 'x') OR k.contype IN ('p', 'f') AND k.conname !~ '_(pkey|fkey)[0-9]*$')
      """, as: [String].self)
    #expect(named.count > 50)
    #expect(Set(named) == Set(ConstraintCases.all.map(\.name)))
  }

  private static func world() async throws -> Course {
    let course = try await Course()
    let athlete = try await course.athlete()
    let race = try await course.race()
    let entry = try await course.enter(athlete, race)
    _ = try await course.athlete("Second")
    let activities = [
      try await course.outing(athlete, stravaId: 1, at: "2031-06-02T08:00:00Z"),
      try await course.outing(athlete, stravaId: 2, at: "2031-06-02T08:00:00Z"),
    ]
    try #require([athlete, race, entry, activities[0]] == [1, 1, 1, 1])
    try await course.session.script(
      """
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
        prize_pool_pence, input_hash, counted_activities, held_activities)
      VALUES (1, 1, 'paid', now(), 100, 1, 99, '', '{}', '{}');
      INSERT INTO racing.payout VALUES (1, 1, 1, 1, 1, 99);
      """)
    return course
  }
}
