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
}
