import HostClock
import Engine
import Operations
import HostProcess

/// The checks of `doctor` that need no database: this node's configuration and state.
struct LocalChecks: Sendable {
  let configuration: Configuration
  let service: Service

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
      ("groups", groups),
      (
        "secrets",
        configuration.warnings.isEmpty
          ? .init("no password stands in the configuration")
          : .init(
            configuration.warnings.joined(separator: "; "), ok: false,
            remedy: "use LoadCredential= (systemctl edit settled), and restart")
      ),
    ]
  }

  /// Members of the operators' and admins' groups reach the socket only as members of the socket's group too.
  private var groups: Check.Finding {
    let groups = configuration.groups
    if groups.isDefaultMissing {
      return .init(
        "there is no group settled: only root and the daemon's own group reach the control socket", ok: false,
        remedy: "create the group, or set socket_group")
    }
    let outside = [groups.operators, groups.admins].compactMap { $0 }
      .flatMap { GroupMembers.names(of: $0) }
      .filter { name in !GroupMembers.names(of: groups.readers).contains(name) }
    return outside.isEmpty
      ? .init("operators and admins reach the control socket")
      : .init(
        "not members of the socket's group: \(Set(outside).sorted().joined(separator: ", "))", ok: false,
        remedy: "add them with adduser NAME GROUP")
  }
}
