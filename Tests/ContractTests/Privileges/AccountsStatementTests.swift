import TestSupport
import Testing

@testable import Accounts

@Suite("Every statement of accounts") struct AccountsStatementTests {
  @Test func `every statement of accounts fits the schema and the daemon's privileges`() async throws {
    #expect(
      try await SettledDatabase.planErrors([
        GatewayRoleCheck.differences, GatewayRoleCheck.unlimited, AnswerPruning.statement,
      ]) == [])
  }
}
