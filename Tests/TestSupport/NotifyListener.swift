import Glibc

/// The service manager's end of the notify protocol: a datagram socket that keeps what it gets until it is read.
package final class NotifyListener: Sendable {
  /// The value of `NOTIFY_SOCKET`.
  package let address: String
  private let descriptor: Int32

  /// At a path, or at an abstract address.
  package init(abstract: Bool = false) {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    address = (abstract ? "@" : "/tmp/") + "settled-notify-\(UInt64.random(in: 0 ... .max))"
    var bytes = sockaddr_un()
    bytes.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &bytes.sun_path) { $0.copyBytes(from: Array(address.utf8)) }
    if abstract { bytes.sun_path.0 = 0 }
    let length = MemoryLayout<sa_family_t>.size + address.utf8.count + (abstract ? 0 : 1)
    let bound = withUnsafePointer(to: &bytes) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    precondition(bound == 0, "the notify socket cannot be bound")
  }

  deinit {
    close(descriptor)
    if address.hasPrefix("/") { unlink(address) }
  }

  /// The next message that has come, as its assignments; nil where none has.
  package func next() -> [String]? {
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
