import Foundation
import HostProcess

/// Connections that have each been answered once, and are silent until this ends.
///
/// Four of them have one address of this machine, because a gateway gives each address a share of its connections.
final class IdleClients {
  private var descriptors: [Int32] = []

  init(_ count: Int, port: Int, path: String) throws {
    guard Host.raiseFileLimit(to: count + 200) else { throw BenchError("too few files may be open") }
    for number in 0..<count {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      descriptors.append(descriptor)
      let own = Self.with("127.0.1.\(1 + number / 4 % 250)", port: 0) { bind(descriptor, $0, $1) }
      let status = Self.with("127.0.0.1", port: port) { connect(descriptor, $0, $1) }
      let request = "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n"
      guard own == 0, status == 0, send(descriptor, request, request.utf8.count, 0) == request.utf8.count,
        Self.firstLine(descriptor).hasPrefix("HTTP/1.1 200")
      else { throw BenchError("an idle client was not answered") }
    }
  }

  private static func with(
    _ host: String, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func firstLine(_ descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}
