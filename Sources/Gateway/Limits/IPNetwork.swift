/// Addresses with the same first bits: `10.0.0.0/8`, `2001:db8::/32`, or one address alone.
package struct IPNetwork: Hashable, Sendable {
  private let first: UInt128
  /// Of the address as IPv6: an IPv4 prefix is 96 longer.
  private let prefix: Int

  /// Nil where the text is none, or where bits behind the prefix are set: whoever wrote that meant something else.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
    let offset = parts[0].contains(":") ? 0 : 96
    var prefix = 128
    if parts.count == 2 {
      guard let length = Int(parts[1]), parts[1].allSatisfy(\.isNumber), (0...128 - offset).contains(length) else {
        return nil
      }
      prefix = offset + length
    }
    guard Self.start(of: address.bits, prefix) == address.bits else { return nil }
    first = address.bits
    self.prefix = prefix
  }

  package func contains(_ address: IPAddress) -> Bool {
    Self.start(of: address.bits, prefix) == first
  }

  private static func start(of bits: UInt128, _ prefix: Int) -> UInt128 {
    prefix == 0 ? 0 : bits & (UInt128.max << UInt128(128 - prefix))
  }
}
