import ConfigurationFiles
import FoundationEssentials

/// The URLs and secrets of the provider of activities, and the keys that seal its tokens.
package struct ProviderConfiguration: Sendable, Equatable {
  package var oauthBase = "https://www.strava.com"
  package var apiBase = "https://www.strava.com/api/v3"
  /// Empty: no call is made.
  package var clientID = ""
  package var clientSecret = ""
  /// Base64 of 32 bytes; empty: there is none.
  package var tokenKey = ""
  package var oldTokenKeys: [String] = []
  /// `host:port`; nil: none.
  package var proxy: String?

  package init() {}

  init(_ values: inout ConfigurationValues<DaemonKey>, environment: [String: String]) {
    func text(_ key: DaemonKey, _ problem: (String) -> String?) -> String {
      values.read(key, else: "") { values throws(ConfigurationError) in try values.text(key, problem: problem) }
    }
    oauthBase = text(.providerOAuthBase, Self.baseProblem)
    apiBase = text(.providerAPIBase, Self.baseProblem)
    clientID = text(.providerClientID) { $0.count > 100 ? "is longer than 100 characters" : nil }
    let hasClient = !clientID.isEmpty
    clientSecret = text(.providerClientSecret) { secret in
      if secret.count > 1000 { return "is longer than 1000 characters" }
      guard hasClient, secret.isEmpty else { return nil }
      return "is missing, but a client id is set: add the strava-client-secret credential"
    }
    tokenKey = text(.tokenKey) { $0.isEmpty ? nil : Self.keyProblem($0) }
    oldTokenKeys = text(.tokenKeyOld) { keys in
      keys.split(whereSeparator: \.isWhitespace).lazy.compactMap { Self.keyProblem(String($0)) }.first
    }.split(whereSeparator: \.isWhitespace).map(String.init)
    let given = text(.httpsProxy) { $0.isEmpty ? nil : Self.proxyProblem($0) }
    // The variables that other programs of the system use.
    let usual = [environment["https_proxy"], environment["HTTPS_PROXY"]].compactMap { $0 }.first ?? ""
    proxy = Self.hostAndPort(given.isEmpty ? usual : given)
  }

  /// Credentials go over TLS, or stay on this machine.
  private static func baseProblem(_ url: String) -> String? {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
      parts.user == nil, parts.query == nil, parts.fragment == nil, !url.hasSuffix("/")
    else { return "must be a URL without a user, a query or a trailing slash" }
    switch parts.scheme {
    case "https": return nil
    case "http" where ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host): return nil
    default: return "must begin with https:// (http:// is allowed only for this machine)"
    }
  }

  /// The value is never shown.
  private static func keyProblem(_ key: String) -> String? {
    guard Data(base64Encoded: key)?.count != 32 else { return nil }
    return "must be 32 bytes in base64, such as the output of openssl rand -base64 32 (rule token-key)"
  }

  private static func proxyProblem(_ proxy: String) -> String? {
    hostAndPort(proxy) == nil ? "must be HOST:PORT, or a URL such as http://proxy.example:3128, without a user" : nil
  }

  private static func hostAndPort(_ proxy: String) -> String? {
    guard let parts = URLComponents(string: proxy.contains("://") ? proxy : "http://" + proxy), let host = parts.host,
      !host.isEmpty, let port = parts.port, (1...65535).contains(port), parts.user == nil, parts.scheme == "http"
    else { return nil }
    return "\(host):\(port)"
  }
}
