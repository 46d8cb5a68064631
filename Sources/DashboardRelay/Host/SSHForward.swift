import Glibc

/// The control socket of another machine, forwarded by `ssh` to a private directory of this one.
///
/// The remote side runs `cat`, which reads from a pipe that this process holds: ssh ends with it, also after SIGKILL.
package final class SSHForward: Sendable {
  package let path: String
  private let directory: PrivateDirectory
  private let process: pid_t
  private let pipe: Int32
  private static let name = "control.sock"
  private static let readyWithin: Duration = .seconds(120)

  /// Starts ssh, which may ask for a password on the terminal.
  package init(host: String, remotePath: String) throws {
    guard !host.isEmpty, !host.hasPrefix("-") else { throw RelayError(.usage, "--ssh requires a host name") }
    directory = try PrivateDirectory()
    path = directory.path + "/" + Self.name
    do {
      (process, pipe) = try Self.spawn([
        "ssh", "-T", "-o", "ExitOnForwardFailure=yes", "-o", "StreamLocalBindMask=0177", "-o", "ControlPath=none",
        "-o", "ControlMaster=no", "-o", "RemoteCommand=none", "-o", "ServerAliveInterval=15", "-L",
        path + ":" + remotePath, "--", host, "exec cat",
      ])
    } catch {
      directory.remove(Self.name)
      throw error
    }
  }

  /// Returns once the socket is there; throws where ssh has ended or takes too long, or the task is cancelled.
  package func ready() async throws {
    let clock = ContinuousClock()
    let end = clock.now + Self.readyWithin
    while access(path, F_OK) != 0 {
      if let status = ended() { throw RelayError(.unavailable, "ssh exited with status \(status)") }
      guard clock.now < end else {
        throw RelayError(.unavailable, "ssh did not forward the socket within \(Self.readyWithin)")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Throws once ssh has ended.
  package func watch() async throws {
    while true {
      if let status = ended() { throw RelayError(.unavailable, "ssh exited with status \(status)") }
      try await Task.sleep(for: .seconds(1))
    }
  }

  /// Ends ssh and removes the socket.
  package func close() {
    Glibc.close(pipe)
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    directory.remove(Self.name)
  }

  /// The exit status of ssh; nil while it runs.
  private func ended() -> Int32? {
    var information = siginfo_t()
    // Left to be waited for: the id is not another process's until `close`.
    guard waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0, information.si_signo != 0
    else { return nil }
    return information._sifields._sigchld.si_status
  }

  private static func spawn(_ arguments: [String]) throws(RelayError) -> (pid_t, Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
      throw RelayError(.unavailable, "cannot create a pipe")
    }
    defer { Glibc.close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    // What ssh or the host prints is not the address that programs read from standard output.
    posix_spawn_file_actions_adddup2(&actions, 2, 1)
    // Signals that this process ignores would stay ignored.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let status = posix_spawnp(&process, "ssh", &actions, &attributes, &words, environ)
    guard status == 0 else {
      Glibc.close(ends[1])
      throw RelayError(.unavailable, "cannot start ssh: \(String(cString: strerror(status)))")
    }
    return (process, ends[1])
  }
}
