import FoundationEssentials

/// The base under which the provider reaches a gateway: `https://api.example.org`.
struct CallbackURL: Equatable {
  /// What the gateway serves below the base, before the secret (Gateway.docc/Systems.md, "Webhooks").
  static let path = "/strava/webhook/"
  /// The provider takes 255 characters, of which the path and the secret have 59.
  private static let lengthMax = 190

  /// Without a slash at its end.
  let base: String

  /// Throws the reason where the provider cannot call it, or its hints would cross a network in plaintext.
  init(_ text: String) throws(Problem) {
    let base = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard base.utf8.count <= Self.lengthMax, base.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      let parts = URLComponents(string: base), let host = parts.host, !host.isEmpty, parts.user == nil,
      parts.password == nil, parts.query == nil, parts.fragment == nil, !base.hasSuffix("/")
    else {
      throw Problem("the callback must be a URL without a user, query or fragment, such as https://api.example.org")
    }
    switch parts.scheme {
    case "https": break
    case "http" where Self.isLoopback(host): break
    default: throw Problem("the callback must begin with https://; http:// is allowed only for this machine")
    }
    self.base = base
  }

  struct Problem: Error {
    let text: String

    init(_ text: String) {
      self.text = text
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" || host == "::1" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }

  /// The address that the provider calls.
  func address(_ secret: String) -> String { base + Self.path + secret }

  /// The secret of an address that the provider shows; nil where no gateway of this base has such a path.
  static func secret(in address: String) -> String? {
    let segments = address.split(separator: "/")
    return segments.count > 3 && segments.dropLast().suffix(2) == ["strava", "webhook"]
      ? segments.last.map(String.init) : nil
  }
}
