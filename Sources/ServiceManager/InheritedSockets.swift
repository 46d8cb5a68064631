internal import CSystemd
internal import Glibc

/// What the manager says of the sockets it opened for this process (sd_listen_fds(3)).
struct ListenVariables: Sendable {
  let names: [String]

  /// More than any unit of ours has; a greater number is a mistake.
  private static let countMax = 64

  /// Nil where there are none, or where they are another process's.
  init?(_ environment: [String: String], pid: Int32) {
    guard let owner = environment["LISTEN_PID"].flatMap(Int32.init), owner == pid,
      let count = environment["LISTEN_FDS"].flatMap(Int.init), (1...Self.countMax).contains(count)
    else { return nil }
    let given = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    names = (0..<count).map { $0 < given.count && !given[$0].isEmpty ? String(given[$0]) : "unknown" }
  }
}

extension ServiceManager {
  /// The listening sockets that were inherited, by the name of their unit's `FileDescriptorName=`; empty where there are
  /// none.
  ///
  /// Each gets its close-on-exec flag; the caller owns them, and closes them. Throws `ServiceManagerError` where a
  /// descriptor is no listening unix stream socket, or where two have one name: a unit that is wrong is to be repaired,
  /// not worked around.
  package func inheritedSockets() throws(ServiceManagerError) -> [String: Int32] {
    guard let listening else { return [:] }
    var sockets: [String: Int32] = [:]
    for (index, name) in listening.names.enumerated() {
      let descriptor = SD_LISTEN_FDS_START + Int32(index)
      guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
        throw ServiceManagerError(
          .notASocket, "inherited descriptor \(descriptor) (\(name)) is not a listening unix stream socket")
      }
      let flags = fcntl(descriptor, F_GETFD)
      guard flags >= 0, fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) == 0 else {
        throw ServiceManagerError(.notASocket, "inherited descriptor \(descriptor) (\(name)) cannot be used")
      }
      guard sockets.updateValue(descriptor, forKey: name) == nil else {
        throw ServiceManagerError(.ambiguousSocket, "two inherited sockets are named \(name)")
      }
    }
    return sockets
  }
}
