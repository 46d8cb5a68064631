import Foundation
import TestSupport

/// Bytes to a port of the loopback and back, without any notion of HTTP.
enum RawExchange {
  /// All that comes until the other end closes, or `quietMilliseconds` pass without a byte.
  static func send(_ text: String, port: Int, quietMilliseconds: Int = 2000) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(with: Result { try exchange(text, port, quietMilliseconds) })
      }
    }
  }

  /// A connected socket; the caller closes it.
  static func connect(port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return descriptor
  }

  private static func exchange(_ text: String, _ port: Int, _ quiet: Int) throws -> String {
    let descriptor = try connect(port: port)
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // The other end may have refused already.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var out: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, Int32(quiet)) > 0 else { break }
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { break }
      out += piece[..<count]
    }
    return String(decoding: out, as: UTF8.self)
  }
}
