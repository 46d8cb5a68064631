package import ControlAPI
package import HTTPServing

/// Decides what a peer may do: by its user and by its groups, primary or supplementary.
///
/// Root has every level; the admins' group administers, the operators' group operates, the socket's group reads. The
/// daemon's own user may reload, so that `ExecReload=` needs no root. Anyone else has no rights. Source:
/// ControlServer.docc/Levels.md.
package struct Authorizer: Sendable, Equatable {
  /// The one command that the daemon's own user may give regardless of its groups.
  package static let ownCommand = CommandDescription.reload.name

  package let ownUser: UInt32
  package let readers: UInt32
  /// Nil: only root operates.
  package let operators: UInt32?
  /// Nil: only root administers.
  package let admins: UInt32?

  package init(ownUser: UInt32, readers: UInt32, operators: UInt32?, admins: UInt32?) {
    self.ownUser = ownUser
    self.readers = readers
    self.operators = operators
    self.admins = admins
  }

  /// The highest level that the peer has; nil for none.
  package func level(of peer: Peer) -> CommandLevel? {
    if peer.uid == 0 { return .admin }
    if let admins, peer.isMember(of: admins) { return .admin }
    if let operators, peer.isMember(of: operators) { return .operate }
    if peer.isMember(of: readers) { return .read }
    return nil
  }

  /// The level at which the peer may give a command that needs one; nil if it may not.
  package func level(of peer: Peer, for command: String, needing needed: CommandLevel) -> CommandLevel? {
    let level = command == Self.ownCommand && peer.uid == ownUser ? .admin : level(of: peer)
    guard let level, level >= needed else { return nil }
    return level
  }

  /// Whether the peer may learn what there is: any level, or being the daemon's own user.
  package func admits(_ peer: Peer) -> Bool {
    level(of: peer) != nil || peer.uid == ownUser
  }
}
