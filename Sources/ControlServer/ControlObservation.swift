/// An observation of the control server; the daemon turns it into journal entries and metrics.
package enum ControlObservation: Sendable {
  case listening(socket: String)
  /// A caller was refused because of its level; nil if the request named no command.
  case denied(uid: UInt32, gid: UInt32, pid: Int32, command: String?)
  case answered(command: String, status: Int, uid: UInt32, pid: Int32)
  /// More connections than the limit, or than one user's share.
  case connectionRefused(socket: String, uid: UInt32)
  /// A request was not answered in time: its method and path.
  case timedOut(request: String)
  /// A command threw something other than a `CommandError`: a bug, reported in the journal and not to the caller.
  case unexpected(command: String, error: String)
}
