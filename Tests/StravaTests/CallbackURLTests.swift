import Testing

@testable import Strava

@Suite("The callback of a subscription") struct CallbackURLTests {
  @Test(arguments: [
    ("https://api.example.org", "https://api.example.org"), ("https://api.example.org/", "https://api.example.org"),
    ("https://example.org:8443/racing", "https://example.org:8443/racing"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://[::1]:8080", "http://[::1]:8080"),
    ("http://localhost", "http://localhost"),
  ]) func `a callback is a base URL over TLS, or one of this machine`(_ text: String, _ base: String) throws {
    let callback = try CallbackURL(text)
    #expect(callback.base == base)
    #expect(CallbackURL.secret(in: callback.address("s-e_c")) == "s-e_c")
  }

  @Test(arguments: [
    "", "api.example.org", "http://api.example.org", "http://127.0.0.1.example.org", "http://127.0.0.256",
    "http://10.0.0.1", "ftp://127.0.0.1", "https://user@example.org", "https://user:pass@example.org",
    "https://example.org?a=b", "https://example.org#a", "https://", "https://exämple.org", "https://example.org//",
    "https://example.org/" + String(repeating: "a", count: 190),
  ]) func `a callback that would cross a network in clear, or is no base URL, is refused`(_ text: String) {
    #expect(throws: CallbackURL.Problem.self) { try CallbackURL(text) }
  }

  @Test func `the secret of another application's callback is not looked for`() {
    for address in ["https://example.org/hook", "https://example.org/strava/webhook/", "strava/webhook/x", ""] {
      #expect(CallbackURL.secret(in: address) == nil, "\(address)")
    }
  }
}
