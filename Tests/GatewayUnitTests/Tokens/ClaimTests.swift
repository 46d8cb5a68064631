import Testing

@testable import Gateway

@Suite("The claims of an own token") struct ClaimTests {
  @Test func `claims need an exp, which is not past; iat and nbf may be a minute ahead`() async throws {
    let world = try await OwnWorld()
    let cases: [(times: String, refusal: TokenError.Code?)] = [
      (#""exp":1700000001"#, nil), (#""exp":1700000000.5"#, nil), (#""exp":1.7000001e9"#, nil),
      (#""exp":1700000000"#, .expired), (#""exp":1699999999.9"#, .expired), (#""exp":0"#, .expired),
      (#""exp":-1"#, .expired),
      (#""iat":1700000000"#, .claim), (#""exp":null"#, .claim), (#""exp":"1700000100""#, .claim),
      (#""exp":1e300"#, .claim),
      (#""exp":1e999"#, .claim), (#""exp":[1700000100]"#, .claim), (#""exp":true"#, .claim),
      (#""exp":1700000100,"nbf":1700000060"#, nil), (#""exp":1700000100,"nbf":1700000060.5"#, .notYet),
      (#""exp":1700000100,"iat":1700000060"#, nil), (#""exp":1700000100,"iat":1700000061"#, .notYet),
      (#""exp":1700000100,"nbf":null"#, .claim), (#""exp":1700000100,"iat":"x""#, .claim),
    ]
    for (times, refusal) in cases {
      #expect(await world.refusal(try world.signed(world.payload(times: times))) == refusal, "\(times)")
    }
  }

  @Test func `claims of an own token name the gateway as issuer and audience, exactly`() async throws {
    let world = try await OwnWorld()
    for iss in ["", OwnWorld.url + "/", "https://PLAY.example", "https://play.example.evil"] {
      #expect(await world.refusal(try world.signed(world.payload(iss: iss))) == .issuer, "\(iss)")
    }
    #expect(await world.refusal(try world.signed(#"{"exp":1700000100,"aud":"\#(OwnWorld.url)"}"#)) == .issuer)
    let other = "\"https://other.example\""
    let cases: [(aud: String, refusal: TokenError.Code?)] = [
      ("\"\(OwnWorld.url)\"", nil), ("[\(other),\"\(OwnWorld.url)\"]", nil), (other, .audience),
      ("[\(other)]", .audience),
      ("\"\"", .audience), ("\"\(OwnWorld.url)/\"", .audience), ("[]", .claim), ("null", .claim), ("[null]", .claim),
      ("[1]", .claim), ("{}", .claim), ("[[]]", .claim), ("[\"\(OwnWorld.url)\",7]", .claim),
    ]
    for (aud, refusal) in cases {
      #expect(await world.refusal(try world.signed(world.payload(aud: aud))) == refusal, "\(aud)")
    }
    #expect(await world.refusal(try world.signed(#"{"iss":"\#(OwnWorld.url)","exp":1700000100}"#)) == .audience)
  }

  @Test(arguments: ["athlete", "runner", "reader"])
  func `ids in claims are positive whole numbers`(name: String) async throws {
    let world = try await OwnWorld()
    #expect(try await world.refusal(ofClaims: #""\#(name)":9223372036854775807"#) == nil)
    for bad in [
      "7.5", "7.0", "7e0", "-7", "0", "-0", "9223372036854775808", "1e400", "\"7\"", "null", "true", "[7]", "{}",
    ] {
      #expect(try await world.refusal(ofClaims: #""\#(name)":\#(bad)"#) == .claim, "\(bad)")
    }
    for bad in ["+7", "07", "0x7", "NaN", "Infinity", "7 8", "٧"] {
      #expect(try await world.refusal(ofClaims: #""\#(name)":\#(bad)"#) == .malformed, "\(bad)")
    }
  }

  @Test(arguments: ["username", "checkin"])
  func `names in claims are texts without control characters`(name: String) async throws {
    let world = try await OwnWorld()
    #expect(try await world.refusal(ofClaims: #""\#(name)":"Zoë 😀""#) == nil)
    for bad in [
      "\"\"", "7", "null", #""a\u0000b""#, #""a\nb""#, #""\u0085""#, "\"\(String(repeating: "x", count: 201))\"",
    ] {
      #expect(try await world.refusal(ofClaims: #""\#(name)":\#(bad)"#) == .claim, "\(bad)")
    }
    #expect(try await world.refusal(ofClaims: #""\#(name)":"\ud800""#) == .malformed)
  }

  @Test func `claims have an account with its epoch or neither, so that a log-out can end them`() async throws {
    let world = try await OwnWorld()
    let token = try world.signed(world.payload(#""sub":"12","epoch":0"#))
    #expect(try await world.caller(token) == Caller(account: 12, epoch: 0))
    for bad in [
      #""sub":"12""#, #""epoch":1"#, #""sub":12,"epoch":1"#, #""sub":"none","epoch":1"#, #""sub":"","epoch":1"#,
      #""sub":"+12","epoch":1"#, #""sub":"012","epoch":1"#, #""sub":"-1","epoch":1"#, #""sub":"0","epoch":1"#,
      #""sub":"12","epoch":-1"#, #""sub":"12","epoch":1.5"#, #""sub":"12","epoch":null"#, #""sub":null,"epoch":1"#,
      #""sub":"12","epoch":"1""#,
    ] {
      #expect(try await world.refusal(ofClaims: bad) == .claim, "\(bad)")
    }
  }

  @Test func `claims give the known roles, and no others`() async throws {
    let world = try await OwnWorld()
    let cases: [(claims: String, roles: Set<Role>)] = [
      (#""roles":[]"#, []), (#""roles":["payments","payments"]"#, [.payments]),
      (#""roles":["admin","Moderator","moderator "]"#, []), (#""roles":["moderator","auditor"]"#, [.moderator]),
      (#""role":"moderator""#, []),
    ]
    for (claims, roles) in cases {
      #expect(try await world.caller(try world.signed(world.payload(claims)))?.roles == roles, "\(claims)")
    }
    for bad in ["\"moderator\"", "null", "[1]", "[null]", "{\"moderator\":true}", "[[\"moderator\"]]"] {
      #expect(try await world.refusal(ofClaims: #""roles":\#(bad)"#) == .claim, "\(bad)")
    }
  }

  @Test func `unknown claims are ignored`() async throws {
    let world = try await OwnWorld()
    let token = try world.signed(world.payload(#""athlete":7,"admin":true,"data":{"x":[1,null]},"é":"é""#))
    #expect(try await world.caller(token) == Caller(athlete: 7))
  }
}
