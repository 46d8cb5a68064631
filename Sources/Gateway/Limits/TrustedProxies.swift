/// The proxies in front of the gateway, whose X-Forwarded-For counts.
///
/// Source: Gateway.docc/Limits.md. A client can send any X-Forwarded-For, and a proxy adds to its end: so the list is
/// read from its end, and the first entry that no trusted proxy stands for is the client.
package struct TrustedProxies: Sendable {
  /// Where a request came in.
  package enum Peer: Hashable, Sendable {
    /// On a unix socket: who may connect to it is trusted.
    case unix
    /// By TCP, from this address.
    case address(IPAddress)
  }

  package static let countMax = 100
  /// More proxies than stand one behind another anywhere.
  static let entriesMax = 32

  private let networks: [IPNetwork]

  package init(_ networks: [IPNetwork] = []) {
    self.networks = networks
  }

  /// Addresses and networks, separated by commas or spaces. Nil where one is neither; `firstBad` returns it.
  package init?(_ text: String) {
    let words = Self.words(text)
    let networks = words.compactMap { IPNetwork($0) }
    guard networks.count == words.count, words.count <= Self.countMax else { return nil }
    self.init(networks)
  }

  /// The first word of a list that is no address and no network.
  package static func firstBad(_ text: String) -> String? {
    words(text).first { IPNetwork($0) == nil }.map { String($0) }
  }

  /// The address that a request came from; nil: from this machine, by a unix socket, and no proxy names another.
  ///
  /// `forwardedFor` is the values of all X-Forwarded-For fields in their order. An entry that is no address ends the
  /// reading: what stands before it was written by somebody who is not trusted.
  package func client(of peer: Peer, forwardedFor: [String]) -> IPAddress? {
    var client: IPAddress?
    if case .address(let address) = peer {
      client = address
      guard trusts(address) else { return client }
    }
    let entries = forwardedFor.reversed().lazy.flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).reversed()
    }
    for entry in entries.prefix(Self.entriesMax) {
      guard let address = Self.address(entry) else { break }
      client = address
      guard trusts(address) else { break }
    }
    return client
  }

  /// Whether this is the address of a proxy.
  func trusts(_ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Some proxies write a port: `192.0.2.1:443`, `[2001:db8::1]:443`.
  private static func address(_ entry: Substring) -> IPAddress? {
    let text = entry.drop { $0 == " " || $0 == "\t" }
    let trimmed = text.prefix { $0 != " " && $0 != "\t" }
    guard text.dropFirst(trimmed.count).allSatisfy({ $0 == " " || $0 == "\t" }) else { return nil }
    if trimmed.hasPrefix("[") {
      guard let end = trimmed.firstIndex(of: "]") else { return nil }
      let port = trimmed[trimmed.index(after: end)...]
      guard port.isEmpty || port.hasPrefix(":") else { return nil }
      return IPAddress(trimmed[trimmed.index(after: trimmed.startIndex)..<end])
    }
    if trimmed.contains("."), let colon = trimmed.firstIndex(of: ":"), !trimmed[..<colon].isEmpty,
      trimmed[trimmed.index(after: colon)...].allSatisfy(\.isNumber)
    {
      return IPAddress(trimmed[..<colon])
    }
    return IPAddress(trimmed)
  }

  private static func words(_ text: String) -> [Substring] {
    text.split { $0 == "," || $0.isWhitespace }
  }
}
