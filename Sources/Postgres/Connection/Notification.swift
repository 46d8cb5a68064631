/// What another session sent with NOTIFY.
package struct Notification: Sendable, Hashable {
  package let channel: String
  package let payload: String

  /// The sender's backend.
  package let pid: Int32
}
