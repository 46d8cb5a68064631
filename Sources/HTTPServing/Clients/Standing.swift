/// How far a caller is let in when a socket is full: room is kept for those whom the others must not lock out.
package enum Standing: Sendable {
  case ordinary, admin, root
}
