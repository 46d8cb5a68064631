import Glibc

/// The right to a socket's path: an exclusive lock on `PATH.lock`.
///
/// It ends with the process, however that ends. The file is removed while it is locked; whoever locked a removed file
/// notices that the path shows another one, and tries again.
struct SocketLock: ~Copyable {
  private let descriptor: Int32
  private let path: String

  /// Throws `.inUse` where another process holds it.
  init(for socket: String) throws(ServingError) {
    let path = socket + ".lock"
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .system("cannot open \(path)") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        close(descriptor)
        if code == EINTR { continue }
        guard code == EWOULDBLOCK else { throw .system("cannot lock \(path)", code) }
        throw .inUse(socket)
      }
      if let locked = FileIdentity(descriptor: descriptor), locked == FileIdentity(path: path) {
        self.descriptor = descriptor
        self.path = path
        return
      }
      close(descriptor)
    }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }
}

/// The identity of the file, regardless of its name.
struct FileIdentity: Equatable {
  let device: dev_t
  let inode: ino_t
  let isSocket: Bool

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = status.st_dev
    inode = status.st_ino
    isSocket = status.st_mode & S_IFMT == S_IFSOCK
  }
}
