import Glibc

/// A unix socket made at a path: claimed first, opened second, removed at the end.
///
/// Claiming changes nothing but the lock file, so that a daemon can claim both of its sockets before it touches one.
struct SocketFile: ~Copyable {
  private let path: String
  private let lock: SocketLock
  private var opened: FileIdentity?

  /// Throws `.inUse` where a live process serves the path, `.badPath` where no socket can be made there.
  init(claiming path: String) throws(ServingError) {
    guard sockaddr_un(path: path) != nil else {
      throw ServingError(.badPath, "\(path): a socket's path must be 1 to 107 bytes long")
    }
    let lock = try SocketLock(for: path)
    if let existing = FileIdentity(path: path) {
      guard existing.isSocket else { throw ServingError(.badPath, "\(path) exists and is not a socket") }
      // A socket of somebody who takes no lock: systemd, or another program.
      guard Self.isDead(path) else { throw .inUse(path) }
    }
    self.path = path
    self.lock = lock
  }

  /// Makes the socket, replacing a dead one; returns its listening descriptor, which is the caller's.
  ///
  /// `bind` gives the file the mode of the unbound socket, less the umask: it starts with 0600, is given its group and
  /// mode, and listens last. At no moment may anybody connect who may not at the end.
  mutating func open(mode: mode_t, group: UInt32?) throws(ServingError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system("cannot create a socket") }
    do throws(ServingError) {
      if FileIdentity(path: path) != nil, unlink(path) != 0 { throw .system("cannot replace \(path)") }
      guard fchmod(descriptor, 0o600) == 0 else { throw .system("cannot set the mode of \(path)") }
      guard Self.address(path, { bind(descriptor, $0, $1) }) == 0 else { throw .system("cannot create \(path)") }
      opened = FileIdentity(path: path)
      if let group, lchown(path, uid_t.max, group) != 0 {
        throw .system("cannot change the group of \(path) to \(group)")
      }
      guard chmod(path, mode) == 0 else { throw .system("cannot set the mode of \(path)") }
      guard listen(descriptor, 128) == 0 else { throw .system("cannot listen on \(path)") }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    // Only what was made here: an administrator may have put something else in its place.
    if let opened, opened == FileIdentity(path: path) { unlink(path) }
  }

  private static func isDead(_ path: String) -> Bool {
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { close(probe) }
    return address(path) { connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
  }

  private static func address(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    guard var address = sockaddr_un(path: path) else { return -1 }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
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
}
