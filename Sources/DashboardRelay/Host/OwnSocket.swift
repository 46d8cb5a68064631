import Glibc
import NIOCore

/// A unix socket of mode 0600 at a path that the operator names; its file goes with it.
struct OwnSocket: Sendable {
  let path: String
  let descriptor: Int32
  private let file: File

  /// Which file it is: another process may have put its own at the path.
  private struct File: Equatable {
    let device: dev_t
    let number: ino_t

    /// Nil where there is none.
    init?(at path: String) {
      var file = stat()
      guard lstat(path, &file) == 0 else { return nil }
      (device, number) = (file.st_dev, file.st_ino)
    }
  }

  /// Replaces the file of a dead socket of this user, and nothing else.
  init(path: String) throws(RelayError) {
    self.path = path
    guard !path.isEmpty, !path.utf8.contains(0), let address = try? SocketAddress(unixDomainSocketPath: path) else {
      throw RelayError(.usage, "\(path): a socket's path must be 1 to 107 bytes long")
    }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw Self.failed("a socket", path) }
    try Self.removeDead(path, address)
    // The file has the mode of the socket before it is bound.
    let bound = descriptor
    guard fchmod(bound, 0o600) == 0, address.withSockAddr({ bind(bound, $0, socklen_t($1)) }) == 0,
      listen(bound, 128) == 0, let file = File(at: path)
    else { throw Self.failed("listening", path) }
    self.file = file
  }

  func remove() {
    if File(at: path) == file { unlink(path) }
  }

  private static func removeDead(_ path: String, _ address: SocketAddress) throws(RelayError) {
    var file = stat()
    guard lstat(path, &file) == 0 else { return }
    guard file.st_mode & S_IFMT == S_IFSOCK, file.st_uid == geteuid() else {
      throw RelayError(.usage, "\(path) exists and is not a socket owned by this user")
    }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    defer { close(probe) }
    guard address.withSockAddr({ connect(probe, $0, socklen_t($1)) }) != 0, errno == ECONNREFUSED else {
      throw RelayError(.inUse, "\(path) is already served by another process")
    }
    unlink(path)
  }

  private static func failed(_ what: String, _ path: String) -> RelayError {
    RelayError(.unavailable, "\(what) at \(path) failed: \(String(cString: strerror(errno)))")
  }
}
