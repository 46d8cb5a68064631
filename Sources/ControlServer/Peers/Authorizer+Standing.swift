import ControlAPI
import HTTPServing

extension Authorizer {
  /// A peer that may steer the daemon, its own user's reload included, counts as an admin.
  func standing(of peer: Peer) -> Standing {
    if peer.uid == 0 { return .root }
    return level(of: peer) == .admin || peer.uid == ownUser ? .admin : .ordinary
  }
}
