import TextCoding

internal import Subprocess
internal import SystemPackage

/// A private PostgreSQL cluster for the demo and for tests.
///
/// It listens on a unix socket in its own directory only, trusts whoever can reach that (root and the user that the
/// server runs as), and leaves neither process nor directory behind, even when our process is killed: see
/// `Supervisor`. It must never hold data that anybody wants to keep.
package actor EmbeddedPostgres {
  /// The directory of the socket, the data and the log.
  package nonisolated let directory: String

  private let pipe: CommandPipe
  private let supervisor: Task<Void, Never>

  private init(directory: String, pipe: CommandPipe, supervisor: Task<Void, Never>) {
    self.directory = directory
    self.pipe = pipe
    self.supervisor = supervisor
  }

  /// Makes a new cluster and starts it.
  ///
  /// - Parameters:
  ///   - settings: the server's, for example `["fsync": "off"]`.
  ///   - directory: a directory that does not exist yet; by default one below `/tmp`. Short: a socket's path holds
  ///     at most 107 bytes.
  ///   - environment: variables of the server, for example `["LOCPATH": "/tmp/locales"]`.
  ///   - zoneinfo: a directory that the server sees as `/usr/share/zoneinfo`; only root may do that.
  ///
  /// Throws `missing` when PostgreSQL is not installed, `failed` with the server's last words.
  package static func start(
    settings: [String: String] = [:], directory: String? = nil, environment: [String: String] = [:],
    zoneinfo: String? = nil
  ) async throws -> EmbeddedPostgres {
    let installation = try Installation.find()
    let (theirs, pipe) = try CommandPipe.make()
    let options = standard.merging(settings) { $1 }.sorted { $0.key < $1.key }.flatMap {
      ["-c", "\($0.key)=\($0.value)"]
    }
    let arguments = [
      Supervisor.start, "settled-postgres", installation.programs, installation.user ?? "", directory ?? "",
    ]
    var platform = PlatformOptions()
    platform.createSession = true
    let mount = "mount --bind \"$0\" /usr/share/zoneinfo && exec /bin/sh \"$@\""
    let shell = zoneinfo.map { ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", mount, $0] } ?? ["/bin/sh"]
    let variables = environment.merging([Supervisor.variable: Supervisor.program]) { $1 }
    let supervisor = Task { [platform] in
      _ = try? await run(
        .path(FilePath(shell[0])), arguments: Arguments(shell.dropFirst() + ["-c"] + arguments + options),
        environment: .inherit.updating(
          Dictionary(uniqueKeysWithValues: variables.map { (.init(stringLiteral: $0.key), $0.value) })),
        platformOptions: platform,
        input: .fileDescriptor(theirs.input, closeAfterSpawningProcess: true),
        output: .fileDescriptor(theirs.output, closeAfterSpawningProcess: true), error: .discarded)
    }
    let made = try await pipe.ask(nil)
    let cluster = EmbeddedPostgres(directory: made, pipe: pipe, supervisor: supervisor)
    do {
      try await cluster.resume()
    } catch {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  /// Starts the server again after `pause()` or `kill()`.
  package func resume() async throws {
    _ = try await pipe.ask("start")
  }

  /// Stops the server and keeps its data: open sessions are ended.
  package func pause() async throws {
    _ = try await pipe.ask("stop")
  }

  /// Stops the server and starts it again.
  package func restart() async throws {
    try await pause()
    try await resume()
  }

  /// Ends the server and all of its processes with SIGKILL; what was committed is recovered by `resume()`.
  package func kill() async throws {
    _ = try await pipe.ask("kill")
  }

  /// Stops the server and removes everything; returns when nothing is left. A second time it does nothing.
  package func stop() async {
    pipe.send("finish")
    await supervisor.value
  }

  /// A URL for libpq; the superuser is `postgres`.
  package nonisolated func url(database: String = "postgres", user: String = "postgres") -> String {
    "postgresql://\(PercentCoding.encode(user))@/\(PercentCoding.encode(database))?host=\(PercentCoding.encode(directory))"
  }

  private static let standard = [
    "listen_addresses": "", "TimeZone": "UTC", "log_timezone": "UTC", "max_connections": "100",
    // Files in the data directory, so that a crash leaves nothing in /dev/shm.
    "dynamic_shared_memory_type": "mmap",
  ]
}
