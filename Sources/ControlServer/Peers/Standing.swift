import ControlAPI

/// How far a caller is let in when a socket is full: room is kept for those whom the others must not lock out.
enum Standing {
  case ordinary, admin, root
}

extension Authorizer {
  /// Who may steer the daemon, its own user's reload included, counts as an admin.
  func standing(of peer: Peer) -> Standing {
    if peer.uid == 0 { return .root }
    return level(of: peer) == .admin || peer.uid == ownUser ? .admin : .ordinary
  }
}
