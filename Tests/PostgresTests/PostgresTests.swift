import Postgres
import TestSupport
import Testing

@Suite struct SmokeTests {
  @Test func `a value goes there and back`() async throws {
    let database = try await TestCluster.shared.database()
    let connection = try await database.connect()
    let (number, text) = try await connection.query("SELECT \(42), \("it's")").one(Int.self, String.self)
    #expect(number == 42)
    #expect(text == "it's")
  }
}
