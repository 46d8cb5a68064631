package import ControlAPI

/// The operator who looks, as the daemon sees him.
package struct Operator: Hashable, Sendable {
  package var uid: Int64
  /// Nil where the daemon's machine has no name for the uid.
  package var user: String?
  package var level: CommandLevel

  package init(uid: Int64, user: String?, level: CommandLevel) {
    self.uid = uid
    self.user = user
    self.level = level
  }
}
