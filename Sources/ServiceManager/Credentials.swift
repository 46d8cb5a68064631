internal import Glibc

extension ServiceManager {
  /// The largest credential: more than any password, key or URL needs.
  package static let credentialBytesMax = 64 * 1024

  /// The secret that the unit gave under this name (`LoadCredential=` and its kin), without the line breaks at its end;
  /// nil where there is none.
  ///
  /// Throws `ServiceManagerError` where the name is no plain file name, or where the file is there and cannot be used:
  /// unreadable, no regular file, too large, not UTF-8, or with a zero byte. No error holds any of the text.
  package func credential(_ name: String) throws(ServiceManagerError) -> String? {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
    else { throw ServiceManagerError(.badName, "a credential's name must be a file name without a path") }
    guard let credentialsDirectory else { return nil }

    let descriptor = open("\(credentialsDirectory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw ServiceManagerError(.unusableCredential, "credential \(name) cannot be opened (errno \(errno))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ServiceManagerError(.unusableCredential, "credential \(name) is not a regular file")
    }
    return try Self.text(Self.bytes(of: descriptor, name), name)
  }

  private static func bytes(of descriptor: Int32, _ name: String) throws(ServiceManagerError) -> ArraySlice<UInt8> {
    var buffer = [UInt8](repeating: 0, count: credentialBytesMax + 1)
    var filled = 0
    while filled < buffer.count {
      let count = buffer.withUnsafeMutableBytes { bytes -> Int in
        guard let start = bytes.baseAddress else { return 0 }
        return read(descriptor, start + filled, bytes.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw ServiceManagerError(.unusableCredential, "credential \(name) cannot be read (errno \(errno))")
      }
      if count == 0 { return buffer[..<filled] }
      filled += count
    }
    throw ServiceManagerError(
      .unusableCredential, "credential \(name) is larger than \(credentialBytesMax) bytes")
  }

  private static func text(_ bytes: ArraySlice<UInt8>, _ name: String) throws(ServiceManagerError) -> String {
    var bytes = bytes
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw ServiceManagerError(.unusableCredential, "credential \(name) is not text")
    }
    return text
  }
}
