import Foundation
import GatewaySupport
import Synchronization
import TestSupport

@testable import Gateway

/// A file of issuers, files of keys beside it, and a clock.
final class IssuerWorld: Sendable {
  static let secret = "a secret of more than thirty-two bytes"

  let directory: ScratchDirectory
  let clock = OwnWorld.Clock()
  private let seen = Mutex<[TokenObservation]>([])

  init() throws { directory = try ScratchDirectory() }

  var path: String { path("issuers.json") }
  var observations: [TokenObservation] { seen.withLock { $0 } }

  func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  /// Writes a file in one step, as who changes keys should; returns its path.
  @discardableResult
  func write(_ text: String, _ name: String = "issuers.json") throws -> String {
    let path = path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    return path
  }

  func read() async throws -> IssuersFile {
    try await IssuersFile(
      path: path, publicURL: OwnWorld.url, now: { [clock] in clock.elapsed },
      observe: { [self] observation in seen.withLock { $0.append(observation) } })
  }

  /// The errors of a file of this text, with the directory left out.
  func problems(_ text: String) async throws -> [String] {
    try write(text)
    do {
      _ = try await read()
      return []
    } catch let error as IssuersError {
      return error.problems.map { $0.replacingOccurrences(of: directory.path + "/", with: "") }
    }
  }

  func verifier() async throws -> TokenVerifier {
    let own = try await Issuer.own([try Keys.own().publicKey], publicURL: OwnWorld.url)
    return TokenVerifier(try await [own] + read().issuers) { [clock] in clock.now }
  }

  /// WordPress: HS256 and an id deep in the payload.
  static func wordPress(aud: String = "null") -> String {
    #"{"name":"gread","iss":"https://gread.example","aud":\#(aud),"alg":"HS256","key":"\#(secret)","#
      + #""identity":"reader","claim":"data.user.id"}"#
  }

  /// Firebase: RS256, the project as audience, and the user in `sub`.
  static func firebase(_ file: String, alg: String = "RS256") -> String {
    #"{"name":"firebase","iss":"https://securetoken.google.com/app","aud":"app","alg":"\#(alg)","#
      + #""jwks_file":"\#(file)","identity":"checkin","claim":"sub"}"#
  }

  static let firebasePayload =
    #"{"iss":"https://securetoken.google.com/app","aud":"app","sub":"uid-1","user_id":"uid-1","iat":1700000000,"#
    + #""exp":1700003600,"firebase":{"identities":{},"sign_in_provider":"anonymous"}}"#

  static func wordPressPayload(id: String = "\"42\"", extra: String = "") -> String {
    #"{"iss":"https://gread.example","iat":1700000000,"nbf":1700000000,"exp":1700003600,"#
      + #""data":{"user":{"id":\#(id)}}\#(extra)}"#
  }
}

extension TokenVerifier {
  func outcome(_ token: String) async -> Result<Caller?, TokenError> {
    do {
      return .success(try await caller(of: "Bearer \(token)"))
    } catch {
      return .failure(error)
    }
  }

  func refusal(_ token: String) async -> TokenError.Code? {
    if case .failure(let error) = await outcome(token) { error.code } else { nil }
  }
}
