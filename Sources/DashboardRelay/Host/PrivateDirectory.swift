import Glibc

/// A directory that only this user may enter; it goes with its value.
final class PrivateDirectory: Sendable {
  let path: String

  init() throws(RelayError) {
    let parent =
      getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }.flatMap { Self.isPrivate($0) ? $0 : nil } ?? "/tmp"
    // mkdtemp makes it with mode 0700.
    var template = Array((parent + "/settlectl-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw RelayError(.unavailable, "cannot create a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A directory of another user, as `su` leaves it in the environment, would be one that others may change.
  private static func isPrivate(_ path: String) -> Bool {
    var file = stat()
    return path.utf8.first == UInt8(ascii: "/") && lstat(path, &file) == 0 && file.st_mode & S_IFMT == S_IFDIR
      && file.st_uid == geteuid() && file.st_mode & 0o777 == 0o700
  }

  /// Removes one of its files, and the directory once it is empty.
  func remove(_ name: String) {
    unlink(path + "/" + name)
    rmdir(path)
  }
}
