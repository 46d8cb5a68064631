import Foundation
import HTTPServing
import TestSupport

/// A client that sends what no decent client sends. Its waits are at most 60 s.
final class HTTPClient: Sendable {
  private let descriptor: Int32

  init(_ source: SocketSource) throws {
    switch source {
    case .path(let path): descriptor = try Self.connected(path: path)
    case .address(let host, let port): descriptor = try Self.connected(host, port)
    case .descriptor: preconditionFailure("a client needs a path or an address")
    }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  deinit {
    close(descriptor)
  }

  private static func connected(path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return try connected(descriptor, &address, MemoryLayout<sockaddr_un>.size)
  }

  private static func connected(_ host: String, _ port: UInt16) throws -> Int32 {
    if host.contains(":") {
      let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return try connected(descriptor, &address, MemoryLayout<sockaddr_in6>.size)
    }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return try connected(descriptor, &address, MemoryLayout<sockaddr_in>.size)
  }

  private static func connected<Address>(_ descriptor: Int32, _ address: inout Address, _ size: Int) throws -> Int32 {
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(size)) }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
    return descriptor
  }

  /// How many bytes were taken, all of them where the other side listens; it may have gone.
  @discardableResult
  func send(_ bytes: [UInt8]) async -> Int {
    await offPool { [descriptor] in
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { break }
        sent += count
      }
      return sent
    }
  }

  @discardableResult
  func send(_ text: String) async -> Int { await send(Array(text.utf8)) }

  func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// The bytes until the other side closes; nil where it does not within the time.
  func rest() async -> String? {
    await offPool { [descriptor] in
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
          all += buffer[..<count]
        } else {
          return count == 0 || errno == ECONNRESET || errno == EPIPE ? String(decoding: all, as: UTF8.self) : nil
        }
      }
    }
  }

  /// Reads until a text has come; nil where it does not.
  func read(until text: String) async -> String? {
    await offPool { [descriptor] in
      var all = ""
      var buffer = [UInt8](repeating: 0, count: 65536)
      while !all.contains(text) {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        all += String(decoding: buffer[..<count], as: UTF8.self)
      }
      return all
    }
  }
}
