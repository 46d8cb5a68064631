import Glibc

/// A unix socket of mode 0600 at a path that the operator names; its file goes with it.
struct OwnSocket: Sendable {
  let path: String
  let descriptor: Int32

  /// Replaces the file of a dead socket of this user, and nothing else.
  init(path: String) throws(RelayError) {
    self.path = path
    guard var address = sockaddr_un(path: path) else {
      throw RelayError(.usage, "\(path): a socket's path has 1 to 107 bytes")
    }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw Self.failed("a socket", path) }
    try Self.removeDead(path, &address)
    // The file has the mode of the socket before it is bound.
    guard fchmod(descriptor, 0o600) == 0, address.call({ bind(descriptor, $0, $1) }) == 0,
      chmod(path, 0o600) == 0, listen(descriptor, 128) == 0
    else { throw Self.failed("listening", path) }
  }

  func remove() { unlink(path) }

  private static func removeDead(_ path: String, _ address: inout sockaddr_un) throws(RelayError) {
    var file = stat()
    guard lstat(path, &file) == 0 else { return }
    guard file.st_mode & S_IFMT == S_IFSOCK, file.st_uid == geteuid() else {
      throw RelayError(.usage, "\(path) exists and is not a socket of this user")
    }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    defer { close(probe) }
    guard address.call({ connect(probe, $0, $1) }) != 0, errno == ECONNREFUSED else {
      throw RelayError(.inUse, "\(path) is served by another process")
    }
    unlink(path)
  }

  private static func failed(_ what: String, _ path: String) -> RelayError {
    RelayError(.unavailable, "\(what) at \(path) failed: \(String(cString: strerror(errno)))")
  }
}

extension sockaddr_un {
  /// Nil where the path is empty, too long, or has a NUL.
  fileprivate init?(path: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &sun_path) { room in
      guard !bytes.isEmpty, bytes.count < room.count, !bytes.contains(0) else { return false }
      room.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
  }

  fileprivate mutating func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: &self) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
