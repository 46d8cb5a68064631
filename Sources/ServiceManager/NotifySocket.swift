internal import CSystemd
internal import Glibc

/// The unix datagram socket on which the manager hears `VARIABLE=value` lines (sd_notify(3)).
struct NotifySocket: Sendable {
  /// The path; an abstract address begins with a zero byte.
  private let path: [UInt8]

  /// How long a message may wait for a manager whose queue is full.
  private static let sendSecondsMax = 1

  /// Nil for an address that is neither an absolute path nor abstract (`@name`), or that is too long for a socket.
  init?(_ address: String) {
    var path = Array(address.utf8)
    guard path.count > 1, path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    switch path[0] {
    case UInt8(ascii: "@"): path[0] = 0
    case UInt8(ascii: "/"): break
    default: return nil
    }
    self.path = path
  }

  /// Sends one datagram; a socket per message, so that there is nothing to keep or to close in order.
  func send(_ text: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: Self.sendSecondsMax, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))

    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let isPath = path[0] != 0
    let length = MemoryLayout<sa_family_t>.size + path.count + (isPath ? 1 : 0)
    let message = Array(text.utf8)
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, socklen_t(length))
      }
    }
    return sent == message.count
  }
}
