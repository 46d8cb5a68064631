import HostProcess
import SystemPackage

/// A new file that only its owner reads.
enum PrivateFile {
  static func write(_ text: String, to path: String) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(Array(text.utf8)) }
  }
}
