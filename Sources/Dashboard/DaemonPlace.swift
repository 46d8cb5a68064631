/// Where the daemon is, for the command lines that a page shows.
package struct DaemonPlace: Hashable, Sendable {
  /// The path of its control socket; nil: settlectl's own default.
  package var socket: String?
  /// The host that ssh reaches; nil: this one.
  package var host: String?

  package init(socket: String? = nil, host: String? = nil) {
    self.socket = socket
    self.host = host
  }
}
