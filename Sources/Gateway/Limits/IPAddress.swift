import Glibc

/// An address of IPv4 or IPv6. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// As IPv6; IPv4 stands in ::ffff:0:0/96.
  let bits: UInt128

  /// Nil where the text is no address in the usual form; a zone (`fe80::1%eth0`) is left out.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 64, !text.utf8.contains(0) else { return nil }
    if text.contains(":") {
      let address = text.prefix { $0 != "%" }
      var parsed = in6_addr()
      guard inet_pton(AF_INET6, String(address), &parsed) == 1 else { return nil }
      bits = withUnsafeBytes(of: parsed) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    } else {
      var parsed = in_addr()
      guard inet_pton(AF_INET, String(text), &parsed) == 1 else { return nil }
      bits = withUnsafeBytes(of: parsed) { $0.reduce(0xFFFF) { $0 << 8 | UInt128($1) } }
    }
  }

  init(bits: UInt128) {
    self.bits = bits
  }

  package var isIPv4: Bool { bits >> 32 == 0xFFFF }

  package var description: String {
    if isIPv4 {
      return (0..<4).map { "\(UInt8(truncatingIfNeeded: bits >> UInt128(24 - 8 * $0)))" }.joined(separator: ".")
    }
    return (0..<8).map { String(UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)), radix: 16) }
      .joined(separator: ":")
  }

  /// The unit that limits count by: an IPv4 address, or the /64 of an IPv6 address, which is what one household has.
  package var limitKey: String { isIPv4 ? description : network(64) }

  /// The unit of a provider's customer: an IPv4 address, or the /48 of an IPv6 address.
  var siteKey: String { isIPv4 ? description : network(48) }

  private func network(_ length: Int) -> String {
    IPAddress(bits: (bits >> (128 - length)) << (128 - length)).description + "/\(length)"
  }
}
