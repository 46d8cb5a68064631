import FoundationEssentials
import HostProcess
import OneTimeTokens
import Postgres
import TextCoding

/// The people who can log in. Their accounts are made as an operator makes them, and their passwords are set as they
/// would set them: with the one-time link, over HTTP.
struct DemoCast: Sendable {
  let racer, payments, moderator, coach, reader, checkIn: DemoPerson

  var all: [DemoPerson] { [racer, payments, moderator, coach, reader, checkIn] }

  /// Makes them. The racer has a wallet to enter with, and has flagged somebody else's activity for the moderator.
  static func make(_ places: DemoPlaces, owner: DemoOwner, client: DemoClient, directory: String) async throws
    -> DemoCast
  {
    let door = DemoDoor(owner: owner, client: client, directory: directory)
    let winner = places.winner
    let cast = DemoCast(
      racer: try await door.join(
        "racer", "athlete \(winner), who won race \(places.settledRace)", links: "athlete => \(winner)"),
      payments: try await door.join("payments", "the back end of a payment provider", role: "payments"),
      moderator: try await door.join("moderator", "decides on flagged activities", role: "moderator"),
      coach: try await door.join("coach", "of the team", links: "username => \(DemoPlaces.coach)"),
      reader: try await door.join("reader", "reader \(DemoPlaces.reader)", links: "reader => \(DemoPlaces.reader)"),
      checkIn: try await door.join("check-in", DemoPlaces.checkIn, links: "checkin => \(DemoPlaces.checkIn)"))
    try await client.post(
      "wallets/\(winner)/deposit", #"{"amount": 50}"#, token: cast.payments.token, key: "demo-first")
    try await client.post(
      "activities/\(places.activity)/flag", #"{"reason": "suspicious_speed", "notes": "faster than the ferry"}"#,
      token: cast.racer.token)
    return cast
  }
}

/// Where people become known to the gateway.
private struct DemoDoor: Sendable {
  let owner: DemoOwner
  let client: DemoClient
  let directory: String

  /// An account with a password and a token. `links`: arguments of `accounts.create_account` that say who this is.
  func join(_ name: String, _ about: String, links: Statement? = nil, role: String? = nil) async throws -> DemoPerson {
    let email = DemoPerson.email(name)
    let link = OneTimeToken(random: Host.randomBytes)
    let more: Statement = if let links { ", \(fragment: links)" } else { "" }
    _ = try await owner.text(
      "SELECT accounts.create_account(\(email), \(Bytes(link.digest))\(fragment: more))::text")
    if let role { _ = try await owner.text("SELECT accounts.grant_role(\(email), \(role))::text") }
    let password = UnpaddedBase64.url.encode(Host.randomBytes(12))
    try await client.post(
      "auth/reset-password/confirm", #"{"token": "\#(link.text)", "password": "\#(password)"}"#)
    let session = try await client.post("auth/login", #"{"email": "\#(email)", "password": "\#(password)"}"#)
    let token = try JSONDecoder().decode(Session.self, from: session).token
    let file = "\(directory)/\(name)"
    try PrivateFile.write("Authorization: Bearer \(token)\n", to: file)
    return DemoPerson(name: name, about: about, password: password, token: token, tokenFile: file)
  }

  private struct Session: Decodable { let token: String }
}
