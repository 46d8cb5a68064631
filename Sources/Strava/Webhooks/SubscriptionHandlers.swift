import ControlAPI
import Engine
import OneTimeTokens
import Operations
import Postgres
import TextCoding

/// The commands that subscribe to the provider's webhooks, and end that.
///
/// Each commits what the gateway needs before it calls the provider, which validates the callback before it answers.
/// Source: Strava.docc/Webhooks.md, "Subscribing".
struct SubscriptionHandlers: Sendable {
  let options: ProviderOptions?
  let random: @Sendable (Int) -> [UInt8]
  let time: Timekeeper

  var commands: [Command] {
    [
      Command(.stravaSubscribe, .order(subscribe, outcome: subscribed)),
      Command(.stravaUnsubscribe, .order(unsubscribe, outcome: unsubscribed)),
    ]
  }

  /// A wish for a subscription: its secrets reach the outcome alone, and are not kept.
  private struct Wish {
    let callback: CallbackURL
    let secret: OneTimeToken
    let verify: OneTimeToken
    /// Of an earlier path, whose subscription the provider may have made.
    let former: String?

    init(_ callback: CallbackURL, _ secret: OneTimeToken, _ verify: OneTimeToken, former: String?) {
      (self.callback, self.secret, self.verify, self.former) = (callback, secret, verify, former)
    }

    /// Nil: this is the kept answer to a request that was made before.
    init?(_ ordered: JSONValue) {
      guard let callback = ordered["callback"]?.text.flatMap({ try? CallbackURL($0) }),
        let secret = ordered["secret"]?.text.flatMap({ OneTimeToken($0) }),
        let verify = ordered["verify"]?.text.flatMap({ OneTimeToken($0) })
      else { return nil }
      self.init(callback, secret, verify, former: ordered["former"]?.text)
    }

    var json: JSON {
      JSONValue.object([
        ("callback", .text(callback.base)), ("secret", .text(secret.text)), ("verify", .text(verify.text)),
        ("former", former.map { .text($0) } ?? .null),
      ]).json
    }

    var path: Bytes { Bytes(secret.digest) }
  }

  // MARK: Subscribing

  private func subscribe(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    _ = try provider()
    let callback: CallbackURL
    do throws(CallbackURL.Problem) {
      callback = try CallbackURL(call.text("callback") ?? "")
    } catch {
      throw CommandError(.usage, rule: "callback", error.text)
    }
    let before = try await shown(transaction)
    let (secret, verify) = (OneTimeToken(random: random), OneTimeToken(random: random))
    let begun = try JSONValue(
      try await transaction.query(
        SubscriptionRows.begin(callback, path: secret.digest, verify: verify.digest)
      ).one(JSON.self).text)
    let after = try await shown(transaction)
    guard begun["isActive"] != true else {
      return CommandChange(target: "subscription", before: before, after: after, answer: after, kept: after)
    }
    try await take(3, transaction)
    let wish = Wish(callback, secret, verify, former: begun["formerDigest"]?.text)
    return CommandChange(target: "subscription", before: before, after: after, answer: wish.json, kept: after)
  }

  private func subscribed(_ ordered: JSON, _ pool: Pool) async throws -> JSON {
    guard let wish = Wish(try JSONValue(ordered.text)) else { return try await confirmed(pool) }
    let provider = try self.provider()
    do {
      try await deleteFormer(wish, provider, pool)
      let reply = try await provider.subscribe(
        to: wish.callback.address(wish.secret.text), verifyToken: wish.verify.text)
      try await note(reply.usage, pool)
      guard case .made(let id) = reply.value else { throw try await refusal(reply.value, wish, provider, pool) }
      let isOurs = try await pool.transaction { transaction in
        try await transaction.query(SubscriptionRows.confirm(path: wish.path, id: id)).one(Bool.self)
      }
      // Another operator has asked meanwhile.
      if !isOurs { try await note(try await provider.delete(id), pool) }
      return try await shown(pool)
    } catch let failure as ProviderFailure {
      try await note(failure.usage, pool)
      if !failure.isUnknown { try await end(wish.path, pool) }
      throw Self.error(failure, "settlectl strava status shows the subscription; subscribe again")
    }
  }

  /// The answer to a request that was made before. Throws where the provider has not confirmed the subscription.
  private func confirmed(_ pool: Pool) async throws -> JSON {
    let shown = try await shown(pool)
    guard try JSONValue(shown.text)["subscription"]?["state"]?.text == "active" else {
      throw CommandError(
        .unavailable, rule: "pending", "the provider has not confirmed the subscription: subscribe again")
    }
    return shown
  }

  /// The provider may have made the subscription of a wish whose answer never came.
  private func deleteFormer(_ wish: Wish, _ provider: PushSubscriptions, _ pool: Pool) async throws {
    guard let former = wish.former else { return }
    let found = try await provider.list()
    try await note(found.usage, pool)
    if let id = Self.subscription(of: former, in: found.value) { try await note(try await provider.delete(id), pool) }
  }

  /// The provider has refused the wish: nothing is kept of it.
  private func refusal(
    _ outcome: PushSubscriptions.Outcome, _ wish: Wish, _ provider: PushSubscriptions, _ pool: Pool
  ) async throws -> CommandError {
    try await end(wish.path, pool)
    switch outcome {
    case .exists:
      let found = try await provider.list()
      try await note(found.usage, pool)
      let ids = found.value.map { "\($0.id)" }.joined(separator: ", ")
      return CommandError(
        .refused, rule: "subscribed",
        "the application has subscription \(ids) from another installation: settlectl strava unsubscribe --id \(ids)")
    case .unreachable:
      return CommandError(
        .refused, rule: "callback",
        "the provider could not validate \(wish.callback.base)\(CallbackURL.path)...: a gateway that serves "
          + "racepace must respond there within two seconds")
    case .made, .refused:
      return CommandError(.refused, rule: "provider", "the provider rejected the subscription")
    }
  }

  // MARK: Unsubscribing

  private func unsubscribe(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    _ = try provider()
    if try await transaction.query(SubscriptionRows.isElsewhere).one(Bool.self) {
      throw CommandError(
        .unavailable, rule: "home",
        "this database was copied or restored: first run settlectl restore accept or restore fork")
    }
    let kept = try await transaction.query(SubscriptionRows.kept).first(Bytes.self, Int64?.self)
    let named = call.integer("id")
    guard kept != nil || named != nil else {
      throw CommandError(.missing, rule: "subscription", "there is no subscription")
    }
    try await take(2, transaction)
    let isKept = kept != nil && (named == nil || named == kept?.1)
    let id = named ?? kept?.1
    let order: JSONValue = .object([
      ("id", id.map { .integer($0) } ?? .null),
      ("digest", isKept ? .text(Hexadecimal.text(kept?.0.array ?? [])) : .null),
    ])
    let before = try await shown(transaction)
    return CommandChange(target: "subscription", before: before, after: order.json)
  }

  private func unsubscribed(_ ordered: JSON, _ pool: Pool) async throws -> JSON {
    let order = try JSONValue(ordered.text)
    let provider = try self.provider()
    let digest = order["digest"]?.text
    do {
      var id = order["id"]?.integer
      if id == nil, let digest {
        let found = try await provider.list()
        try await note(found.usage, pool)
        id = Self.subscription(of: digest, in: found.value)
      }
      if let id { try await note(try await provider.delete(id), pool) }
    } catch let failure as ProviderFailure {
      try await note(failure.usage, pool)
      throw Self.error(failure, "unsubscribe again")
    }
    if let digest { try await end(Bytes(Hexadecimal.bytes(digest)), pool) }
    return try await shown(pool)
  }

  // MARK: Both

  /// Without a client id the credentials are not even read.
  private func provider() throws -> PushSubscriptions {
    guard let options else {
      throw CommandError(.refused, rule: "client-id", "strava_client_id is not set: this node makes no provider calls")
    }
    return PushSubscriptions(options, time: time)
  }

  /// Spent is spent: not each of the calls is made.
  private func take(_ calls: Int, _ transaction: Transaction) async throws {
    let taken = try await ProviderLimits.tokens.take(calls, usesReserve: true, in: transaction)
    guard taken.granted == calls else {
      throw CommandError(.unavailable, rule: "budget", "the provider's call limit has been reached: try again later")
    }
  }

  private func note(_ usage: [CallBudget.WindowUsage], _ pool: Pool) async throws {
    guard !usage.isEmpty else { return }
    try await pool.transaction { transaction in
      let now = try await transaction.query("SELECT settled.clock()").one(Timestamp.self)
      try await transaction.execute(ProviderLimits.tokens.note(usage, ofCallAt: now))
    }
  }

  private func end(_ path: Bytes, _ pool: Pool) async throws {
    try await pool.transaction { try await $0.execute(SubscriptionRows.end(path: path)) }
  }

  private func shown(_ pool: Pool) async throws -> JSON {
    try await pool.transaction { try await shown($0) }
  }

  /// `{"subscription": ...}`, null where there is none.
  private func shown(_ transaction: Transaction) async throws -> JSON {
    let subscription = try await transaction.query(SubscriptionRows.shown).one(JSON.self)
    return JSON(text: "{\"subscription\": \(subscription.text)}")
  }

  private static func error(_ failure: ProviderFailure, _ remedy: String) -> CommandError {
    CommandError(failure.kind == .client ? .refused : .unavailable, rule: "provider", "\(failure): \(remedy)")
  }

  /// The provider's number of the subscription whose path has this digest.
  private static func subscription(of digest: String, in found: [PushSubscriptions.Subscription]) -> Int64? {
    found.first { subscription in
      let secret = subscription.callbackUrl.flatMap(CallbackURL.secret).flatMap { OneTimeToken($0) }
      return secret.map { Hexadecimal.text($0.digest) } == digest
    }?.id
  }
}
