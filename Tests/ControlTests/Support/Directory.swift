import Foundation

/// A directory that everybody may enter, and that is removed at the end.
final class Directory: Sendable {
  let path: String

  init() throws {
    path = "/tmp/settled-control-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var control: String { path + "/control.sock" }
  var health: String { path + "/health.sock" }
  var contents: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// The file's mode and group.
func modeAndGroup(_ path: String) -> (mode: mode_t, group: gid_t)? {
  var status = stat()
  guard lstat(path, &status) == 0 else { return nil }
  return (status.st_mode & 0o7777, status.st_gid)
}
