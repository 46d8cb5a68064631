/// How far a caller is let in when a socket is full: room is kept for those whom the others must not lock out.
package enum Standing: Sendable {
  case ordinary, `operator`, admin, root
  /// Hands on the requests of many, and has no share of its own.
  case proxy

  /// Whether this is root, an admin, or the daemon's own user.
  var isAdmins: Bool { self == .admin || self == .root }
}
