import Glibc

/// A directory that only this user may enter; it goes with its value.
final class PrivateDirectory: Sendable {
  let path: String

  init() throws(RelayError) {
    let parent = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
    // mkdtemp makes it with mode 0700.
    var template = Array((parent + "/settlectl-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw RelayError(.unavailable, "cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes one of its files, and the directory once it is empty.
  func remove(_ name: String) {
    unlink(path + "/" + name)
    rmdir(path)
  }
}
