import ControlAPI
package import Postgres

/// Where reads that may be large go: one at a time for all callers, and one beside it for root and
/// admins, whom the others cannot keep out.
package struct HeavyReads: Sendable {
  private let everybody: Pool
  private let admins: Pool

  /// Each is a pool of one connection.
  package init(everybody: Pool, admins: Pool) {
    self.everybody = everybody
    self.admins = admins
  }

  func pool(for caller: AuthorizedPeer) -> Pool {
    caller.level == .admin ? admins : everybody
  }
}
