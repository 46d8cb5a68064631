/// The identity of a caller that a route is about.
package enum Identity: String, Sendable, CaseIterable {
  case athlete, username, runner, reader, checkin

  /// As it stands in a path; nil where the token does not say.
  package func text(of caller: Caller) -> String? {
    switch self {
    case .athlete: caller.athlete.map { String($0) }
    case .username: caller.username
    case .runner: caller.runner.map { String($0) }
    case .reader: caller.reader.map { String($0) }
    case .checkin: caller.checkin
    }
  }
}

/// The rule for who may call a route. SQL decides the rest, such as who is a coach.
package enum Access: Sendable, Equatable {
  /// Everyone; a token that is sent must be valid nevertheless.
  case everybody
  /// Everybody with a token.
  case token
  /// A token with this identity.
  case identity(Identity)
  /// A token with this identity, which must be the one that the path's parameter names.
  case own(Identity, parameter: String)
  /// A token with this role.
  case role(Role)
  /// Whoever knows the secret that the path's parameter is; SQL compares it. A token is not needed.
  case secret(parameter: String)

  /// Throws 401 without a token, and 403 where the token does not do.
  func check(_ caller: Caller?, _ values: [String: String]) throws(GatewayError) {
    switch self {
    case .everybody, .secret: return
    default: break
    }
    guard let caller else { throw .tokenMissing }
    switch self {
    case .everybody, .secret, .token: break
    case .identity(let identity): _ = try Self.text(of: identity, caller)
    case .own(let identity, let parameter):
      guard try Self.text(of: identity, caller) == values[parameter] else { throw .notSelf }
    case .role(let role): guard caller.roles.contains(role) else { throw .role(role) }
    }
  }

  private static func text(of identity: Identity, _ caller: Caller) throws(GatewayError) -> String {
    guard let text = identity.text(of: caller) else { throw .identity(identity) }
    return text
  }
}
