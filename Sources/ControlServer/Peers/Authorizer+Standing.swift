import ControlAPI
import HTTPServing

extension Authorizer {
  /// A peer that may change the daemon, including its own user's reload, counts as an admin.
  func standing(of peer: Peer) -> Standing {
    if peer.uid == 0 { return .root }
    if peer.uid == ownUser { return .admin }
    return switch level(of: peer) {
    case .admin: .admin
    case .operate: .operator
    case .read, nil: .ordinary
    }
  }
}
