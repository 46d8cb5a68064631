import FoundationEssentials
import TextCoding

extension World {
  /// `POST /oauth/token`.
  mutating func token(_ call: ProviderCall) -> ProviderResponse {
    let form = call.form
    guard form["client_id"] == client.id, form["client_secret"] == client.secret else { return denied() }
    switch form["grant_type"] {
    case "authorization_code": return exchange(form["code"] ?? "")
    case "refresh_token": return refresh(form["refresh_token"] ?? "")
    default: return .refusal(400, "Bad Request", "Application", "grant_type", "invalid")
    }
  }

  private mutating func exchange(_ code: String) -> ProviderResponse {
    if settings.forbidsCodes { return .forbidden }
    if settings.isLateWithCodes, grants.isEarly(code) { return refusedGrant("AuthorizationCode", "code") }
    guard let grant = grants.exchange(code: code, now: clock.now) else {
      return refusedGrant("AuthorizationCode", "code")
    }
    tally.exchanges += 1
    let sex = grants.sexes[grant.athlete].map { JSONValue.text($0) } ?? .null
    return tokens(grant, ["athlete": ["id": .integer(grant.athlete), "sex": sex]])
  }

  private mutating func refresh(_ token: String) -> ProviderResponse {
    guard let (before, after) = grants.refresh(token, rotates: settings.rotates, now: clock.now) else {
      return refusedGrant("RefreshToken", "refresh_token")
    }
    tally.refreshes += 1
    var answer = tokens(after)
    if after.refreshToken != before.refreshToken {
      tally.rotations += 1
      answer.rotation = ProviderResponse.Rotation(athlete: after.athlete, at: clock.now)
    }
    return answer
  }

  private mutating func refusedGrant(_ resource: String, _ field: String) -> ProviderResponse {
    tally.refusedGrants += 1
    return .refusal(400, "Bad Request", resource, field, "invalid")
  }

  private func tokens(_ grant: Grants.Grant, _ more: [String: JSONValue] = [:]) -> ProviderResponse {
    let answer: [String: JSONValue] = [
      "token_type": "Bearer", "access_token": .text(grant.accessToken), "refresh_token": .text(grant.refreshToken),
      "expires_at": .integer(grant.expiresAt), "expires_in": .integer(grant.expiresAt - clock.now),
    ]
    return ProviderResponse(200, answer.merging(more) { own, _ in own })
  }

  /// `POST /oauth/revoke`: a token that is unknown is gone already.
  mutating func revoke(_ call: ProviderCall) -> ProviderResponse {
    let given = call.credentials("Basic").flatMap { Data(base64Encoded: $0) }
    guard given == Data("\(client.id):\(client.secret)".utf8) else { return denied() }
    if let athlete = grants.holder(of: call.form["token"] ?? ""), grants.end(athlete) { tally.revocations += 1 }
    return .done
  }
}
