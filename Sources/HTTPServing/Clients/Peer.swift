import CPlatform
import Glibc

/// The peer at the other end of a unix socket, as the kernel noted it when the connection was made.
package struct Peer: Sendable, Equatable {
  package let uid: UInt32
  package let gid: UInt32
  package let pid: Int32
  /// Supplementary groups; the primary one is `gid`.
  package let groups: [UInt32]

  package init(uid: UInt32, gid: UInt32, pid: Int32, groups: [UInt32] = []) {
    self.uid = uid
    self.gid = gid
    self.pid = pid
    self.groups = groups
  }

  package func isMember(of group: UInt32) -> Bool {
    gid == group || groups.contains(group)
  }
}

extension Peer {
  /// Nil where the kernel does not say, as on a socket that is not a unix socket.
  init?(socket: Int32) {
    var credentials = settled_credentials()
    var length = socklen_t(MemoryLayout<settled_credentials>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
      length == MemoryLayout<settled_credentials>.size, let groups = Self.groups(ofPeerAt: socket)
    else { return nil }
    self.init(uid: credentials.uid, gid: credentials.gid, pid: credentials.pid, groups: groups)
  }

  /// SO_PEERGROUPS: the kernel returns ERANGE and the room that it needs, where the room is too small.
  private static func groups(ofPeerAt socket: Int32) -> [UInt32]? {
    let stride = MemoryLayout<gid_t>.stride
    var room = 32
    while true {
      var length = socklen_t(room * stride)
      var status: Int32 = 0
      let groups = [UInt32](unsafeUninitializedCapacity: room) { buffer, count in
        status = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, buffer.baseAddress, &length)
        count = status == 0 ? Int(length) / stride : 0
      }
      if status == 0 { return groups }
      let needed = Int(length) / stride
      guard errno == ERANGE, needed > room else { return nil }
      room = needed
    }
  }
}
