/// Where a listening socket comes from.
package enum SocketSource: Sendable, Equatable {
  /// Inherited (socket activation): its owner made it, with its mode, and removes it.
  case descriptor(Int32)
  /// Made here, and removed at the end.
  case path(String)

  /// For people.
  package var name: String {
    switch self {
    case .descriptor(let number): "descriptor \(number)"
    case .path(let path): path
    }
  }
}
