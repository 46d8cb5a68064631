package import ControlAPI

/// The process that sends a command to the control socket, as identified by the kernel, with its level.
package struct AuthorizedPeer: Sendable, Equatable {
  package let uid: UInt32
  package let gid: UInt32
  package let pid: Int32
  package let level: CommandLevel

  package init(uid: UInt32, gid: UInt32, pid: Int32, level: CommandLevel) {
    self.uid = uid
    self.gid = gid
    self.pid = pid
    self.level = level
  }
}
