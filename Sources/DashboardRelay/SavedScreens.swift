import ControlClient
import Dashboard
import Glibc
import Markup

/// Every screen as a file without script, for the record of an incident.
package struct SavedScreens: Sendable {
  private let link: DaemonLink
  private let facts: DaemonFacts

  /// - Parameters:
  ///   - path: of the daemon's control socket.
  ///   - zone: of times; nil: the one of racing's calendar.
  package init(path: String, zone: String?) {
    link = DaemonLink(ControlClient(path: path, bytesMax: RelayLimits.answerBytesMax))
    facts = DaemonFacts(link, zone: zone)
  }

  /// Writes the files into a directory, which it makes where it is missing; none that is there is replaced.
  ///
  /// Files have mode 0600, because they hold what the operator may read.
  package func write(to directory: String) async throws {
    guard case .answer = await link.reply(to: .init("status")) else {
      throw RelayError(.unavailable, "the daemon does not answer: nothing is saved")
    }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Self.failed(directory) }
    let state = await facts.state(zone: nil, allowsChanges: false)
    let header = await ScreenPage.render(Screen.header.parts, state: state, link: link)
    for screen in Screen.all where screen.isInNavigation {
      let parts = await ScreenPage.render(screen.parts, state: state, link: link)
      let page = Shell.saved(screen, header: .joined(header), main: ScreenPage.html(screen, parts))
      try Self.write(page, directory + "/" + screen.name + ".html")
    }
    try Self.write(PageFiles.style, directory + "/page.css")
  }

  private static func write(_ text: String, _ path: String) throws(RelayError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failed(path) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = failed(path)
        close(file)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0, close(file) == 0 else { throw failed(path) }
  }

  private static func failed(_ path: String) -> RelayError {
    RelayError(.usage, "\(path): \(String(cString: strerror(errno)))")
  }
}
