import ControlAPI
package import Postgres

/// Runs reads that may be large: one at a time for all callers, and another one for root and admins, so that other
/// callers cannot block them.
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
