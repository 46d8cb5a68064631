import Glibc
import Testing

/// The manager's end of the notify protocol: a datagram socket that keeps what it gets until it is read.
final class NotifyListener: Sendable {
  let address: String
  private let directory: Directory?
  private let descriptor: Int32

  /// At a path, or at an abstract address.
  init(abstract: Bool = false) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if abstract {
      directory = nil
      address = "@settled-test-\(UInt64.random(in: 0 ... .max))"
    } else {
      let directory = try Directory()
      self.directory = directory
      address = "\(directory.path)/notify"
    }
    let bound = withAddress(address) { [descriptor, address] pointer, length in
      guard abstract else { return bind(descriptor, pointer, length) }
      var unnamed = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_un.self)
      unnamed.sun_path.0 = 0
      return withUnsafePointer(to: &unnamed) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count))
        }
      }
    }
    try #require(bound == 0)
  }

  deinit {
    close(descriptor)
  }

  /// The next message that has come, as its assignments; nil where none has.
  func next() -> [String]? {
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
