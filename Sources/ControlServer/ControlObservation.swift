/// An observation of the control server; the daemon makes journal entries and metrics of it.
package enum ControlObservation: Sendable {
  case listening(socket: String)
  /// A caller was refused for want of a level; nil where no command was meant.
  case denied(uid: UInt32, gid: UInt32, pid: Int32, command: String?)
  case answered(command: String, status: Int, uid: UInt32, pid: Int32)
  /// More connections than the limit, or than one user's share.
  case connectionRefused(socket: String, uid: UInt32)
  /// A request was not answered in time: its method and path.
  case timedOut(request: String)
  /// A command threw what is not a `CommandError`: a bug, told to the journal and not to the caller.
  case unexpected(command: String, error: String)
}
