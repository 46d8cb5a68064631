import ControlAPI
import Dashboard

/// The checks of a request, each with its own refusal; the first that fails answers.
struct Gate: Sendable {
  let owner: UInt32
  let token: Token
  let allowsChanges: Bool

  /// Nil where the request is allowed. `level` is the operator's own at the daemon.
  func refusal(of approach: Approach, level: CommandLevel) -> Problem? {
    sender(approach) ?? rights(approach, level)
  }

  /// Who sends it, and from which page.
  func sender(_ approach: Approach) -> Problem? {
    guard approach.peer == owner else {
      let peer = approach.peer.map { "uid \($0)" } ?? "a process with an unknown user"
      return Problem(403, rule: "peer", "this dashboard belongs to uid \(owner), but the request is from \(peer)")
    }
    guard approach.host.count == 1, Self.isLoopback(approach.host[0]) else {
      return Problem(403, rule: "host", "Host must be 127.0.0.1, [::1] or localhost")
    }
    guard approach.origin.isEmpty || approach.origin == ["http://" + approach.host[0]] else {
      return Problem(403, rule: "origin", "the request is from another page")
    }
    guard approach.fetchSite.isEmpty || approach.fetchSite == ["same-origin"] || approach.fetchSite == ["none"] else {
      return Problem(
        403, rule: "fetch-site", "the request is from another site: open the dashboard's address in a new tab")
    }
    return nil
  }

  /// What it may do.
  func rights(_ approach: Approach, _ level: CommandLevel) -> Problem? {
    if approach.route?.isPublic != true {
      guard approach.authorization.count == 1, token.admits(approach.authorization[0]) else {
        return Problem(
          401, rule: "token", "the token is missing or wrong: copy it from the output of settlectl dashboard")
      }
    }
    guard let route = approach.route else { return Problem(404, rule: Problem.Rule.path, "there is no such path") }
    guard approach.method == route.method else {
      return Problem(405, rule: Problem.Rule.method, "this path accepts only \(route.method)")
    }
    guard case .command(let command) = route else { return nil }
    guard allowsChanges else {
      return Problem(403, rule: "changes", "this dashboard is read-only: start it with --changes")
    }
    guard level >= command.level else {
      return Problem(
        403, rule: Problem.Rule.level,
        "\(command.name) requires level \(command.level.rawValue), but yours is \(level.rawValue)")
    }
    guard approach.requestId.count == 1, ControlDefaults.isRequestId(approach.requestId[0]) else {
      return Problem(
        400, rule: Problem.Rule.requestId, "\(ControlDefaults.requestIdHeader) must have 1 to 200 visible characters")
    }
    return nil
  }

  /// With any port: ssh may forward another one.
  private static func isLoopback(_ host: String) -> Bool {
    for name in ["127.0.0.1", "[::1]", "localhost"] where host.hasPrefix(name) {
      let rest = host.utf8.dropFirst(name.utf8.count)
      if rest.isEmpty { return true }
      return rest.first == UInt8(ascii: ":") && (2...6).contains(rest.count)
        && rest.dropFirst().allSatisfy { (48...57).contains($0) }
    }
    return false
  }
}
