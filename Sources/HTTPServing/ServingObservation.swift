/// An observation of a server's sockets; the program makes journal entries and metrics of it.
package enum ServingObservation: Sendable {
  case listening(socket: String)
  /// More connections than the limit, or than one user's share.
  case connectionRefused(socket: String, Client)
  /// A request was not answered in time.
  case timedOut(RequestHead)
}
