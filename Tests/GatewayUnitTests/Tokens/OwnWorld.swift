import Crypto
import GatewaySupport
import Postgres
import Synchronization

@testable import Gateway

/// A gateway with its own key and a clock that a test sets.
struct OwnWorld {
  static let url = "https://play.example"
  /// The instant at which the clock begins, in whole seconds.
  static let start: Int64 = 1_700_000_000

  final class Clock: Sendable {
    private let seconds = Mutex(Double(OwnWorld.start))

    var now: Timestamp { Timestamp(microseconds: Int64(seconds.withLock { $0 } * 1e6)) }
    /// The same as a clock that counts from some instant.
    var elapsed: Duration { .seconds(seconds.withLock { $0 }) }

    func set(_ value: Double) { seconds.withLock { $0 = value } }
    func advance(by span: Double) { seconds.withLock { $0 += span } }
  }

  let clock = Clock()
  let key: SigningKey
  let issuer: TokenIssuer
  let verifier: TokenVerifier

  init(former: [PublicSigningKey] = [], foreign: [Issuer] = []) async throws {
    key = try Keys.own()
    issuer = TokenIssuer(key, publicURL: Self.url)
    let own = try await Issuer.own([key.publicKey] + former, publicURL: Self.url)
    verifier = TokenVerifier([own] + foreign) { [clock] in clock.now }
  }

  var header: String { #"{"alg":"ES256","typ":"JWT","kid":"\#(key.id)"}"# }

  /// A payload that is accepted, with claims added; `times` stands for `exp` and `iat`.
  func payload(
    _ claims: String = "", times: String = #""exp":1700003600,"iat":1700000000"#, iss: String = url,
    aud: String = "\"\(url)\""
  ) -> String {
    #"{"iss":"\#(iss)","aud":\#(aud),\#(times)\#(claims.isEmpty ? "" : ",")\#(claims)}"#
  }

  /// A token with the gateway's own signature and any claims.
  func signed(_ payload: String, header: String? = nil) throws -> String {
    try Forge.token(header ?? self.header, payload, Forge.es256(key.key))
  }

  func caller(_ token: String) async throws -> Caller? {
    try await verifier.caller(of: "Bearer \(token)")
  }

  /// Why a token is refused; nil where it is not.
  func refusal(_ token: String) async -> TokenError.Code? {
    do {
      _ = try await verifier.caller(of: "Bearer \(token)")
      return nil
    } catch {
      return error.code
    }
  }

  /// Why a token with these claims and the gateway's own signature is refused.
  func refusal(ofClaims claims: String) async throws -> TokenError.Code? {
    await refusal(try signed(payload(claims)))
  }
}
