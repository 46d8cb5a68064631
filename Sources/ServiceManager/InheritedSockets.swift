internal import CSystemd
internal import Glibc

/// The sockets that the manager opened for this process (sd_listen_fds(3)).
struct ListenVariables: Sendable {
  let names: [String]

  /// More than any of the product's units has; a greater number is a mistake.
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
  /// The listening sockets that were inherited, by the name of their unit's
  /// `FileDescriptorName=`; empty where there are none.
  ///
  /// Each gets its close-on-exec flag; the caller owns them, and closes them. Throws `ServiceManagerError` where a
  /// descriptor is no listening unix stream socket (nor one of the internet, where that is allowed), or where two have
  /// one name: a unit that is wrong is to be repaired, not worked around.
  package func inheritedSockets(allowsInternet: Bool = false) throws(ServiceManagerError) -> [String: Int32] {
    guard let listening else { return [:] }
    var sockets: [String: Int32] = [:]
    for (index, name) in listening.names.enumerated() {
      let descriptor = SD_LISTEN_FDS_START + Int32(index)
      guard Self.isListening(descriptor, allowsInternet: allowsInternet) else {
        let kind = allowsInternet ? "stream socket" : "unix stream socket"
        throw ServiceManagerError(
          .notASocket, "inherited descriptor \(descriptor) (\(name)) is not a listening \(kind)")
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

  private static func isListening(_ descriptor: Int32, allowsInternet: Bool) -> Bool {
    let stream = Int32(SOCK_STREAM.rawValue)
    return sd_is_socket_unix(descriptor, stream, 1, nil, 0) > 0
      || allowsInternet
        && (sd_is_socket(descriptor, AF_INET, stream, 1) > 0 || sd_is_socket(descriptor, AF_INET6, stream, 1) > 0)
  }
}
