import TestSupport
import Testing

@testable import Accounts

@Suite("Every statement of accounts") struct AccountsStatementTests {
  @Test func `fits the schema, and the daemon may carry it out`() async throws {
    #expect(try await SettledDatabase.planErrors([GatewayRoleCheck.differences, GatewayRoleCheck.unlimited]) == [])
  }
}
