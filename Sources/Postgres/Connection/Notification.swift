/// A notification that another session sent with NOTIFY.
package struct Notification: Sendable, Hashable {
  package let channel: String
  package let payload: String

  /// The sender's backend.
  package let pid: Int32

  package init(channel: String, payload: String, pid: Int32) {
    self.channel = channel
    self.payload = payload
    self.pid = pid
  }
}
