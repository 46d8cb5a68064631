@testable import Accounts
import Postgres
import TestSupport
import Testing

@Suite("doctor's check of settled_gateway") struct GatewayRoleCheckTests {
  /// A copy of a database has not the settings that roles had in it.
  private static let limits: Statement = """
    DO $$
    DECLARE
      setting text;
    BEGIN
      FOREACH setting IN ARRAY '{statement_timeout,lock_timeout,idle_in_transaction_session_timeout}'::text[] LOOP
        EXECUTE format('ALTER ROLE settled_gateway IN DATABASE %I SET %I = ''5s''', current_database(), setting);
      END LOOP;
    END $$
    """

  private func found(_ statement: Statement, after change: Statement? = nil) async throws -> [String] {
    let session = try await SettledDatabase.simulated().connect()
    // Roles belong to the whole cluster: what a test changes about them is never committed.
    try await session.execute("BEGIN")
    try await session.execute(Self.limits)
    if let change { try await session.execute(change) }
    let found = try await session.query(statement).decode(String.self)
    try await session.execute("ROLLBACK")
    await session.close()
    return found
  }

  @Test func `doctor's check of settled_gateway is clean after a migration`() async throws {
    #expect(try await found(GatewayRoleCheck.differences) == [])
    #expect(try await found(GatewayRoleCheck.unlimited) == [])
  }

  @Test(arguments: [
    ("REVOKE EXECUTE ON FUNCTION gateway.checkin_me FROM settled_gateway", "cannot call gateway.checkin_me(text)"),
    ("GRANT EXECUTE ON FUNCTION gateway.pence TO settled_gateway", "can call gateway.pence(jsonb)"),
    ("GRANT EXECUTE ON FUNCTION racing.complete_withdrawal TO PUBLIC", "can call racing.complete_withdrawal(bigint)"),
    ("GRANT SELECT (email) ON accounts.account TO settled_gateway", "has rights to accounts.account"),
    ("GRANT USAGE ON SCHEMA racing TO settled_gateway", "can use schema racing"),
    ("REVOKE USAGE ON SCHEMA gateway FROM settled_gateway", "cannot use schema gateway"),
    ("GRANT settled_reader TO settled_gateway", "can act as settled_reader"),
  ])
  func `doctor finds each right of settled_gateway that is missing or too much`(change: String, finding: String)
    async throws
  {
    #expect(try await found(GatewayRoleCheck.differences, after: Statement(raw: change)).contains(finding))
  }

  @Test func `doctor finds a gateway login without time-outs of its own`() async throws {
    let name = "other_\(UInt32.random(in: 0 ... .max))"
    let made = "CREATE ROLE \(name) LOGIN IN ROLE settled_gateway"
    #expect(try await found(GatewayRoleCheck.unlimited, after: Statement(raw: made)) == [name])
  }
}
