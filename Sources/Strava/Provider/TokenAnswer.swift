import FoundationEssentials
import Postgres

/// The reply of the token endpoint, in JSON.
enum TokenAnswer {
  /// The tokens decide: the rotated one is already revoked, regardless of other members.
  private struct Tokens: Decodable {
    private struct Athlete: Decodable {
      private enum Key: String, CodingKey { case id, sex }

      let id: Int64
      let sex: String?

      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        id = try members.decode(Int64.self, forKey: .id)
        sex = try? members.decode(String.self, forKey: .sex)
      }
    }

    private enum Key: String, CodingKey { case accessToken, refreshToken, expiresAt, expiresIn, athlete }

    let accessToken: String
    let refreshToken: String?
    let expiresAt: Double?
    let expiresIn: Double?
    let athleteID: Int64?
    let sex: String?

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      accessToken = try members.decode(String.self, forKey: .accessToken)
      refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken)
      expiresAt = try? members.decode(Double.self, forKey: .expiresAt)
      expiresIn = try? members.decode(Double.self, forKey: .expiresIn)
      let athlete = try? members.decode(Athlete.self, forKey: .athlete)
      (athleteID, sex) = (athlete?.id, athlete?.sex)
    }
  }

  private struct Refusal: Decodable {
    struct Item: Decodable {
      let resource: String?
      let field: String?
      let code: String?
    }

    let errors: [Item]?
    let error: String?
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  /// A token fits into a header and a form: printable ASCII.
  private static let tokenLengthMax = 4096
  /// A token with a longer stated lifetime is requested again nevertheless.
  private static let lifeMax: Duration = .seconds(86400)
  /// Where the answer names no end, the token is taken for a short one.
  private static let unknownLife: Duration = .seconds(3600)

  /// Nil where the answer cannot be read. `former` is the refresh token that stays where the answer names none.
  static func pair(in body: [UInt8], former: String?, at now: Timestamp) -> TokenPair? {
    guard let tokens = try? decoder.decode(Tokens.self, from: Data(body)),
      let refresh = tokens.refreshToken ?? former, isToken(tokens.accessToken), isToken(refresh)
    else { return nil }
    let end = end(tokens, now)
    return TokenPair(
      accessToken: tokens.accessToken, refreshToken: refresh, expiresAt: end, athleteID: tokens.athleteID,
      sex: tokens.sex.flatMap(TokenPair.Sex.init))
  }

  /// Whether an error means that the code or the refresh token is refused for good: the
  /// provider's own way, or the standard's.
  static func isRefusal(_ body: [UInt8]) -> Bool {
    guard let refusal = try? decoder.decode(Refusal.self, from: Data(body)) else { return false }
    let isOfToken = (refusal.errors ?? []).contains { item in
      ["RefreshToken", "AuthorizationCode"].contains(item.resource)
        && ["invalid", "expired"].contains(item.code)
    }
    return isOfToken || refusal.error == "invalid_grant"
  }

  /// What an error of the client is about; nil where an answer is another error.
  static func refusedClient(_ body: [UInt8]) -> ProviderFailure.ClientKey? {
    guard let refusal = try? decoder.decode(Refusal.self, from: Data(body)) else { return nil }
    let ofClient = (refusal.errors ?? []).first { $0.resource == "Application" }
    guard let ofClient else { return refusal.error == "invalid_client" ? .either : nil }
    switch ofClient.field {
    case "client_id": return .id
    case "client_secret": return .secret
    case "Status": return .status
    default: return .either
    }
  }

  private static func isToken(_ text: String) -> Bool {
    (1...tokenLengthMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  /// The provider's own instant comes first: our clock may be wrong. What no calendar holds is not believed.
  private static func end(_ tokens: Tokens, _ now: Timestamp) -> Timestamp {
    if let at = tokens.expiresAt, (1...4_102_444_800).contains(at) {
      return min(Timestamp(microseconds: Int64(at) * 1_000_000), now.advanced(by: lifeMax) ?? now)
    }
    let life = tokens.expiresIn.flatMap { (1...86400).contains($0) ? Duration.seconds(Int64($0)) : nil }
    return now.advanced(by: life ?? unknownLife) ?? now
  }
}

/// The coding of HTML forms.
enum FormCoding {
  static func encode(_ form: [(String, String)]) -> String {
    form.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
  }

  private static func encode(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
