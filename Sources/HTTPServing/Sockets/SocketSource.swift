/// Where a listening socket comes from.
package enum SocketSource: Sendable, Equatable {
  /// Inherited (socket activation): its owner made it, with its mode, and removes it.
  case descriptor(Int32)
  /// A unix socket made here, and removed at the end.
  case path(String)
  /// An internet socket at a numeric address; port 0 is one that is free.
  case address(String, port: UInt16)

  /// A path, `127.0.0.1:8080` or `[::1]:8080`; nil for anything else.
  package init?(_ text: String) {
    if text.hasPrefix("/") {
      self = .path(text)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let address = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
    guard isBracketed == address.contains(":"), InternetAddress(address, port: port) != nil else { return nil }
    self = .address(address, port: port)
  }

  /// For people.
  package var name: String {
    switch self {
    case .descriptor(let number): "descriptor \(number)"
    case .path(let path): path
    case .address(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
