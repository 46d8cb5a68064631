/// How the provider is reached, and with which secrets.
package struct ProviderOptions: Sendable, Equatable {
  /// Both without a slash at their end: `https://www.strava.com` and `https://www.strava.com/api/v3`.
  package let oauthBase: String
  package let apiBase: String
  package let clientID: String
  package let clientSecret: String
  /// `host:port` of a proxy for https; nil: none.
  package let proxy: String?
  /// The sealing key: base64 of 32 bytes; empty: there is none.
  package let key: String
  /// Former keys, with which nothing is sealed any more.
  package let oldKeys: [String]
  /// Where the spool is: the daemon's own directory.
  package let stateDirectory: String

  package init(
    oauthBase: String, apiBase: String, clientID: String, clientSecret: String, proxy: String?, key: String,
    oldKeys: [String], stateDirectory: String
  ) {
    self.oauthBase = oauthBase
    self.apiBase = apiBase
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.proxy = proxy
    self.key = key
    self.oldKeys = oldKeys
    self.stateDirectory = stateDirectory
  }
}
