import Foundation
import HostProcess

/// Connections that have each been answered once, and say nothing more until this ends.
final class IdleClients {
  private var descriptors: [Int32] = []

  init(_ count: Int, port: Int, path: String) throws {
    guard Host.raiseFileLimit(to: count + 200) else { throw BenchError("too few files may be open") }
    for _ in 0..<count {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      descriptors.append(descriptor)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let request = "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n"
      guard status == 0, send(descriptor, request, request.utf8.count, 0) == request.utf8.count,
        Self.firstLine(descriptor).hasPrefix("HTTP/1.1 200")
      else { throw BenchError("an idle client was not answered") }
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
