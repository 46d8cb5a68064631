import Foundation
import TestSupport

/// A client that sends what no decent client sends. Its waits are at most 20 s.
final class RawClient: Sendable {
  let descriptor: Int32

  init(_ path: String) throws {
    descriptor = unixSocket()
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard unixAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  deinit {
    close(descriptor)
  }

  /// How many bytes were taken; the other side may have gone.
  @discardableResult
  func send(_ text: String) async -> Int {
    let bytes = Array(text.utf8)
    return await offPool { Foundation.send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
  }

  func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// The bytes until the other side closes; nil where it does not within the time.
  func rest() async -> String? {
    await offPool {
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
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
    await offPool {
      var all = ""
      var buffer = [UInt8](repeating: 0, count: 65536)
      while !all.contains(text) {
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        all += String(decoding: buffer[..<count], as: UTF8.self)
      }
      return all
    }
  }

  /// One request on a connection of its own, and all that comes back.
  static func exchange(_ path: String, _ text: String) async throws -> String? {
    let client = try RawClient(path)
    await client.send(text)
    return await client.rest()
  }

  static func get(_ target: String) -> String {
    "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
  }

  static func post(_ target: String, _ body: String, headers: String = "") -> String {
    "POST \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}

func unixAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}

/// A socket that no program inherits which another test starts meanwhile.
private func unixSocket() -> Int32 {
  socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
}

/// A listening socket made without the server's help.
func listenAt(_ path: String) -> Int32 {
  let descriptor = unixSocket()
  precondition(
    unixAddress(path, { bind(descriptor, $0, $1) }) == 0 && listen(descriptor, 16) == 0, "no socket at \(path)")
  return descriptor
}
