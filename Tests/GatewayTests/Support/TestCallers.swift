import Gateway

/// Callers as their tokens spell them: `Bearer athlete=7;roles=payments;account=3;epoch=1`. Anything else is refused.
struct TestCallers: CallerSource {
  func caller(of authorization: String?) async throws(TokenError) -> Caller? {
    guard let authorization else { return nil }
    guard authorization.hasPrefix("Bearer ") else { throw TokenError(.scheme) }
    var claims: [String: String] = [:]
    for pair in authorization.dropFirst(7).split(separator: ";") {
      let sides = pair.split(separator: "=")
      guard sides.count == 2 else { throw TokenError(.signature) }
      claims[String(sides[0])] = String(sides[1])
    }
    func number(_ name: String) -> Int64? { claims[name].flatMap { Int64($0) } }
    return Caller(
      account: number("account"), epoch: number("epoch"), athlete: number("athlete"), runner: number("runner"),
      reader: number("reader"), checkin: claims["checkin"],
      roles: Set((claims["roles"] ?? "").split(separator: "+").compactMap { Role(rawValue: String($0)) }))
  }
}
