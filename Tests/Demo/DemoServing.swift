import Engine
import HostProcess

/// The part that `--serve` adds: the gateway over the demo's database, people who can log in, and a clock that runs.
struct DemoServing: Sendable {
  static let portDefault: UInt16 = 8080

  /// The program settled-gateway.
  let gateway: String
  /// The program settlectl, which serves the dashboard.
  let settlectl: String
  /// Of 127.0.0.1, so that nobody beyond this machine reaches the demo.
  let port: UInt16
  let time: Timekeeper

  var address: String { "127.0.0.1:\(port)" }
  var url: String { "http://\(address)" }

  /// Starts the gateway, before the story, so that a port that is taken is said at once.
  func start(
    databaseURL: String, directory: String, ended: @escaping @Sendable () -> Void
  ) async throws -> DemoGateway {
    let files = try await DemoGatewayFiles(in: directory, databaseURL: databaseURL)
    return try await DemoGateway.start(files, self, time: time, ended: ended)
  }

  /// The end of a log, on one line.
  static func lastWords(of log: String, in directory: String) -> String {
    let lines = ((try? Host.text(ofFile: "\(directory)/\(log).log")) ?? "").split(separator: "\n")
    return lines.suffix(3).joined(separator: "; ")
  }

  /// Makes the people, lets the clock run, says how all of it is reached, and returns when the task is cancelled.
  ///
  /// `ends` returns the name of the log of what has ended unasked, which is an error.
  func serve(
    _ app: DemoApp, _ owner: DemoOwner, _ daemon: DemoDaemon, directory: String, ends: AsyncStream<String>,
    show: @Sendable (String) -> Void
  ) async throws {
    show("\nThe people who can log in are made ...")
    let places = try await DemoPlaces(app: app)
    let cast = try await DemoCast.make(
      places, owner: owner, client: DemoClient(url: url, time: time), directory: directory)
    let waiting = try await DemoDesk(app: app, owner: owner, patience: DemoPatience(time: time)).fill()
    let now = try await owner.clock()
    try await owner.setClock(now, running: true)
    let dashboard = try await DemoDashboard.start(
      settlectl, controlSocket: daemon.controlSocket, in: directory, time: time)
    show(
      DemoInvitation(
        serving: self, places: places, cast: cast, clock: now, directory: directory,
        controlSocket: daemon.controlSocket, dashboard: dashboard.address, waiting: waiting
      ).text)
    let ended = await ends.first { _ in true }
    await dashboard.stop()
    if let ended { throw Exit(.bug, "\(ended) has ended: \(Self.lastWords(of: ended, in: directory))") }
    try Task.checkCancellation()
  }
}
