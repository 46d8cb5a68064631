import HostClock
import Engine
import Operations
import Glibc
import HostProcess

/// The checks of `doctor` that need no database: this node's configuration and state.
struct LocalChecks: Sendable {
  let configuration: Configuration
  let service: Service
  let reload: Reload
  let memory: HistoryFile

  @Sendable func findings() async -> [(name: String, Check.Finding)] {
    let status = NodeStatus(service.monitor.current, now: Host.timekeeper.now())
    let problems = status.problems.joined(separator: "; ")
    return [
      (
        "node",
        status.problems.isEmpty
          ? .init("this node is ready")
          : .init("this node is \(status.state.rawValue): \(problems)", ok: false, remedy: "settlectl status")
      ),
      ("configuration", reload.finding), ("sockets", sockets), ("state directory", stateDirectory),
      ("memory", memory.finding), ("groups", groups),
      (
        "secrets",
        configuration.warnings.isEmpty
          ? .init("the configuration contains no password")
          : .init(
            configuration.warnings.joined(separator: "; "), ok: false,
            remedy: "use LoadCredential= (systemctl edit settled), and restart")
      ),
    ]
  }

  private var sockets: Check.Finding {
    let lost = service.monitor.current.lostSockets
    let faults = SocketRights(
      health: configuration.healthSocket, control: configuration.controlSocket, group: configuration.groups.readers
    ).faults
    guard lost.isEmpty else {
      return .init(
        "\(lost.joined(separator: " and ")) cannot be reached: the file was deleted or replaced", ok: false,
        remedy: ProblemKind.socketLost.remedy())
    }
    return faults.isEmpty
      ? .init("both sockets are reachable")
      : .init(
        faults.joined(separator: "; "), ok: false,
        remedy: """
          check SocketGroup= and SocketMode= (systemctl edit settled.socket) and socket_group, or use chgrp and chmod
          """)
  }

  /// The files there are small, and must not be lost: tokens while the database is unreachable, heads of the ledger.
  private var stateDirectory: Check.Finding {
    let path = configuration.stateDirectory
    var status = statvfs()
    guard access(path, W_OK | X_OK) == 0, statvfs(path, &status) == 0 else {
      return .init(
        "\(path) is not writable: \(String(cString: strerror(errno)))", ok: false,
        remedy: "create the directory, and make it writable for the daemon")
    }
    let free = Int64(clamping: status.f_bavail) * Int64(clamping: status.f_frsize) / 1_048_576
    return free >= 100
      ? .init("\(path) has \(free) MB left")
      : .init("\(path) has only \(free) MB left", ok: false, remedy: "free up disk space")
  }

  /// Members of the operators' and admins' groups reach the socket only as members of the socket's group too.
  private var groups: Check.Finding {
    let groups = configuration.groups
    if groups.isDefaultMissing {
      return .init(
        "the settled group does not exist: only root and the daemon's own group can use the control socket", ok: false,
        remedy: "create the group, or set socket_group")
    }
    let outside = [groups.operators, groups.admins].compactMap { $0 }
      .flatMap { GroupMembers.names(of: $0) }
      .filter { name in !GroupMembers.names(of: groups.readers).contains(name) }
    return outside.isEmpty
      ? .init("operators and admins can use the control socket")
      : .init(
        "not members of the socket's group: \(Set(outside).sorted().joined(separator: ", "))", ok: false,
        remedy: "add them with adduser NAME GROUP")
  }
}
