import ArgumentParser
import ControlAPI
import DashboardRelay
import StopSignals
import Glibc

/// Serves the operators' dashboard, or saves its screens as files.
struct DashboardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dashboard",
    abstract: "Serve this daemon's dashboard to your browser until you press Ctrl-C. [read]",
    discussion: """
      The command prints one line: the URL to open in a browser, including the token. It connects to the control \
      socket as you, and changes nothing without --changes. It exits after twelve hours without a request.
      """)

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket; with --ssh, its path on that host (default: $\(ControlDefaults.socketVariable), or "
        + "\(ControlDefaults.controlSocket)).", valueName: "path"))
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "Forward the control socket from this host over ssh, and serve the dashboard locally.", valueName: "host"))
  var ssh: String?

  @Option(help: "The port on 127.0.0.1 (default: any free port).")
  var port: UInt16?

  @Option(help: ArgumentHelp("Serve on a unix socket with mode 0600 instead of a port.", valueName: "path"))
  var listen: String?

  @Flag(help: "Show buttons for changes that your level allows.")
  var changes = false

  @Option(help: "The time zone in which times are shown (default: the racing calendar's).")
  var zone: String?

  @Option(
    help: ArgumentHelp(
      "Write every screen to this directory as a file without scripts, and exit.", valueName: "directory"))
  var save: String?

  func validate() throws {
    if port != nil, listen != nil { throw ValidationError("--port and --listen are mutually exclusive") }
    if save != nil, port != nil || listen != nil || changes {
      throw ValidationError("--save does not serve anything: omit --port, --listen and --changes")
    }
  }

  func run() async throws {
    let signals = StopSignal.stream(of: StopSignal.allCases)
    do {
      let forward = try ssh.map { try SSHForward(host: $0, remotePath: socket ?? ControlDefaults.controlSocket) }
      defer { forward?.close() }
      let saved = save.map { _ in SavedScreens(path: forward?.path ?? path, zone: zone) }
      try await withThrowingTaskGroup { tasks in
        tasks.addTask {
          guard let stop = await signals.first(where: { _ in true }), let saved else { return }
          // Saved screens may take long, so there is no time-out.
          saved.abandon()
          forward?.close()
          stop.endProcess()
        }
        tasks.addTask {
          try await forward?.ready()
          if let saved, let save { try await saved.write(to: save) } else { try await serve(forward) }
        }
        try await tasks.next()
        tasks.cancelAll()
      }
    } catch let error as RelayError {
      let code: ControlExit =
        switch error.code {
        case .inUse: .tryLater
        case .usage: .usage
        case .unavailable: .unreachable
        }
      throw ToolExit(code: code, line: error.description)
    }
  }

  private func serve(_ forward: SSHForward?) async throws {
    let path = forward?.path ?? path
    let place: DashboardServer.Place = listen.map { .path($0) } ?? .port(Int(port ?? 0))
    // As the command lines of the page need it.
    let named = forward == nil ? path : socket
    let server = DashboardServer(
      place, path: path, allowsChanges: changes, zone: zone,
      socket: named == ControlDefaults.controlSocket ? nil : named, host: ssh)
    var watch: (@Sendable () async throws -> Void)?
    if let forward { watch = { try await forward.watch() } }
    try await server.run(
      announce: { line in
        print(line)
        fflush(nil)
      },
      watch: watch)
  }

  private var path: String {
    socket ?? getenv(ControlDefaults.socketVariable).map { String(cString: $0) } ?? ControlDefaults.controlSocket
  }
}
