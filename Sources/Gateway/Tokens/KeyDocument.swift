import Glibc

/// A small file as it was read, and its identity, to detect a change.
struct KeyDocument: Sendable {
  /// A change of the file changes one of these, unless somebody takes pains that it does not.
  struct Stamp: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      size = Int64(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }

    /// Nil where there is no such file.
    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  struct Unreadable: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  static let bytesMax = 256 * 1024

  let bytes: [UInt8]
  /// Nil where the file changed while it was read.
  let stamp: Stamp?
  /// Whether others than owner and group can read it.
  let isPublic: Bool

  /// Reads a regular file; a pipe or a device is not waited for.
  init(path: String) throws(Unreadable) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Unreadable(description: errno == ENOENT ? "there is no such file" : "cannot be opened (errno \(errno))")
    }
    defer { close(descriptor) }
    var before = stat()
    guard fstat(descriptor, &before) == 0, before.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(description: "is not a regular file")
    }
    var buffer = [UInt8](repeating: 0, count: Self.bytesMax + 1)
    var filled = 0
    while filled < buffer.count {
      let count = buffer.withUnsafeMutableBytes { bytes -> Int in
        bytes.baseAddress.map { read(descriptor, $0 + filled, bytes.count - filled) } ?? 0
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Unreadable(description: "cannot be read (errno \(errno))") }
      if count == 0 { break }
      filled += count
    }
    guard filled <= Self.bytesMax else {
      throw Unreadable(description: "has more than \(Self.bytesMax / 1024) KiB")
    }
    bytes = Array(buffer[..<filled])
    var after = stat()
    let isSame = fstat(descriptor, &after) == 0 && Stamp(after) == Stamp(before)
    stamp = isSame ? Stamp(before) : nil
    isPublic = before.st_mode & 0o004 != 0
  }
}
