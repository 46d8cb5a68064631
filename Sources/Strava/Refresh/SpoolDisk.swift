import FoundationEssentials
import Glibc

/// The files of the spool: the daemon's alone, never followed through a link, synced with their directory.
enum SpoolDisk {
  /// How many files were set aside.
  static func setAsideCount(_ directory: String) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).count { $0.hasSuffix(".bad") }
  }

  /// The names of files, without those that were set aside.
  static func list(_ directory: String, atMost max: Int) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    return Array(names.filter { !$0.hasSuffix(".bad") }.sorted().prefix(max))
  }

  /// The directory is made where it is missing.
  static func write(_ bytes: [UInt8], to name: String, in directory: String) throws {
    if mkdir(directory, 0o700) == 0 {
      try sync(String(directory[..<(directory.lastIndex(of: "/") ?? directory.endIndex)]))
    }
    let path = "\(directory)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard written > 0 else { throw failure() }
      rest = rest.dropFirst(written)
    }
    guard fsync(file) == 0 else { throw failure() }
    try sync(directory)
  }

  static func read(_ name: String, in directory: String, atMost max: Int) throws -> String {
    let file = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { throw errno == ELOOP ? StravaError(.spool, "the file is a symbolic link") : failure() }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure() }
    guard status.st_mode & S_IFMT == S_IFREG else { throw StravaError(.spool, "the file is not a regular file") }
    var bytes = [UInt8](repeating: 0, count: max)
    let count = Glibc.read(file, &bytes, max)
    guard count >= 0 else { throw failure() }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  static func remove(_ name: String, in directory: String) { _ = unlink("\(directory)/\(name)") }

  static func setAside(_ name: String, in directory: String) {
    _ = rename("\(directory)/\(name)", "\(directory)/\(name).bad")
  }

  private static func sync(_ directory: String) throws {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure() }
  }

  private static func failure() -> StravaError { StravaError(.disk, String(cString: strerror(errno))) }
}
