import Glibc
import Synchronization

/// The files by which the sockets are reached, as they were when serving began; also those that systemd made.
final class SocketFiles: Sendable {
  private let known = Mutex<[(path: String, file: FileIdentity)]>([])

  func remember(_ descriptors: [Int32]) {
    let found = descriptors.compactMap { Self.path(of: $0) }.compactMap { path in
      FileIdentity(path: path).map { (path, $0) }
    }
    known.withLock { $0 = found }
  }

  /// Those that are gone, or that somebody else's file has replaced.
  var lost: [String] {
    known.withLock { $0.filter { FileIdentity(path: $0.path) != $0.file }.map(\.path) }
  }

  private static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isRead = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isRead else { return nil }
    let bytes = withUnsafeBytes(of: address.sun_path) { Array($0.prefix { $0 != 0 }) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
