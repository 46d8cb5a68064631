import Glibc
import ServiceManager
import Testing

struct CredentialTests {
  @Test(arguments: [
    ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), ("two\nlines\n\n", "two\nlines"), ("", ""),
    (" spaces stay ", " spaces stay "),
  ])
  func `a credential is the text of its file without the last line break`(text: String, read: String) throws {
    let directory = try Directory()
    try directory.write(text.utf8, to: "database-url")

    #expect(try manager(directory).credential("database-url") == read)
    #expect(try manager(directory).credential("token-key") == nil)
  }

  @Test(arguments: ["", ".", "..", "../etc/passwd", "/etc/passwd", "a/b", "a\u{0}b"])
  func `a credential's name that is a path is refused, with and without a directory`(name: String) throws {
    let directory = try Directory()
    for environment in [[:], ["CREDENTIALS_DIRECTORY": directory.path]] {
      let manager = ServiceManager(environment: environment, pid: getpid())
      #expect(throws: ServiceManagerError.self) { try manager.credential(name) }
    }
  }

  @Test(arguments: [([0xFF, 0xFE], 1), (Array("a\u{0}b".utf8), 1), ([0x61], 64 * 1024 + 1)])
  func `a credential that is not text or too large is an error without its content`(bytes: [UInt8], times: Int) throws {
    let directory = try Directory()
    try directory.write(repeatElement(bytes, count: times).joined(), to: "token-key")

    let error = #expect(throws: ServiceManagerError.self) { try manager(directory).credential("token-key") }
    #expect(error?.code == .unusableCredential)
    #expect(error?.description.count ?? 0 < 100)
  }

  @Test func `a credential of the maximum size is read whole`() throws {
    let directory = try Directory()
    try directory.write(Array(repeating: 0x61, count: 64 * 1024), to: "token-key")

    #expect(try manager(directory).credential("token-key")?.count == 64 * 1024)
  }

  @Test func `a directory, a link and a pipe are not credentials`() throws {
    let directory = try Directory()
    try #require(mkdir("\(directory.path)/folder", 0o700) == 0)
    try #require(symlink("/etc/passwd", "\(directory.path)/link") == 0)
    try #require(mkfifo("\(directory.path)/pipe", 0o600) == 0)

    for name in ["folder", "link", "pipe"] {
      #expect(throws: ServiceManagerError.self) { try manager(directory).credential(name) }
    }
  }

  private func manager(_ directory: Directory) -> ServiceManager {
    ServiceManager(environment: ["CREDENTIALS_DIRECTORY": directory.path], pid: getpid())
  }
}
