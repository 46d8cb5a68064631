import ArgumentParser
import ControlAPI
import ControlClient

struct StravaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strava", abstract: "Show and control connections to Strava.", subcommands: leaves)

  struct Connection: Decodable {
    let athleteId: Int64
    let status: String
    let expiresAt: String?

    var text: String {
      let end = expiresAt.map { ", its token expires at \(Instants.text($0))" } ?? ""
      return "athlete \(athleteId)'s connection is \(Printable.line(status))\(end)"
    }
  }
}

extension StravaCommand.Status {
  struct Answer: Decodable {
    struct Refresh: Decodable {
      let athleteId: Int64
      let at: String
    }

    struct Usage: Decodable {
      let used: Int64
      let limit: Int64

      var text: String { "\(used) of \(limit)" }
    }

    struct Budget: Decodable {
      let window15: Usage
      let day: Usage
    }

    /// A daemon of an earlier release has none.
    struct Reads: Decodable {
      let budget: Budget
      let waiting: [String: Int64]
      let shortAt: String?
    }

    struct Breaker: Decodable {
      let state: String
      let since: String?
      let `class`: String?
    }

    struct LostReply: Decodable {
      let athleteId: Int64
      let kind: String
      let cause: String
      let at: String
      let isLost: Bool
    }

    struct Total: Decodable {
      let wire: Int64
      let node: Int64
      let open: Int64
    }

    let states: [String: Int64]
    let needsReauth: [String: Int64]
    let toRevoke: Int64
    let nextRefreshes: [Refresh]
    let budget: Budget
    let reads: Reads?
    let breaker: Breaker
    let errors: [String: Int64]
    let lostReplies: [LostReply]
    let lostRepliesTotal: Total
    let keyId: String?
    let sealedWithOldKeys: Int64
    let subscription: StravaCommand.Subscription?
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    ([Pairs.text(pairs(answer), style)] + tables(answer).map { $0.text(style) }).joined(separator: "\n\n")
  }

  private func pairs(_ answer: Answer) -> [(String, String)] {
    let states = ["active", "connecting", "needs_reauth", "revoked"].map { "\(answer.states[$0] ?? 0) \($0)" }
    let reasons = answer.needsReauth.sorted { $0.key < $1.key }.map { "\($0.value) \(Printable.line($0.key))" }
    let errors = answer.errors.sorted { $0.key < $1.key }.map { "\($0.value) \(Printable.line($0.key))" }
    let lost = answer.lostRepliesTotal
    var breaker = answer.breaker.state
    if let kind = answer.breaker.class, let since = answer.breaker.since {
      breaker += " since \(Instants.text(since)): \(Printable.line(kind))"
    }
    let left = answer.sealedWithOldKeys > 0 ? ", \(answer.sealedWithOldKeys) to be resealed" : ""
    return [
      ("connections", states.joined(separator: ", ")),
      ("to reconnect", reasons.isEmpty ? "none" : reasons.joined(separator: ", ")),
      ("pending at Strava", Counted.text(answer.toRevoke, "disconnection")),
      ("calls", "\(answer.budget.window15.text) in 15 minutes, \(answer.budget.day.text) today"),
    ] + (answer.reads.map(reads) ?? []) + [
      ("breaker", breaker),
      ("errors so far", errors.isEmpty ? "none" : errors.joined(separator: ", ")),
      (
        "lost replies",
        "\(lost.wire) in transit and \(lost.node) with a node (each ended a connection); \(lost.open) still open"
      ),
      ("key", (answer.keyId.map { Printable.line($0) } ?? "none yet") + left),
      ("webhooks", StravaCommand.Subscription.text(answer.subscription)),
    ]
  }

  private func reads(_ reads: Answer.Reads) -> [(String, String)] {
    let waiting = ["results", "claims", "strangers", "hints"].map { "\(reads.waiting[$0] ?? 0) for \($0)" }
    let short = reads.shortAt.map { ", last exhausted at \(Instants.text($0))" } ?? ""
    return [
      ("reads", "\(reads.budget.window15.text) in 15 minutes, \(reads.budget.day.text) today\(short)"),
      ("waiting reads", waiting.joined(separator: ", ")),
    ]
  }

  private func tables(_ answer: Answer) -> [Table] {
    var tables: [Table] = []
    if !answer.nextRefreshes.isEmpty {
      tables.append(
        Table(
          columns: [.right("ATHLETE"), .left("NEXT REFRESH")],
          rows: answer.nextRefreshes.map { Table.Row(["\($0.athleteId)", Instants.text($0.at)]) }))
    }
    if !answer.lostReplies.isEmpty {
      tables.append(
        Table(
          columns: [.right("ATHLETE"), .left("LOST REPLY"), .left("CAUSE"), .left("AT"), .left("OUTCOME")],
          rows: answer.lostReplies.map { reply in
            let outcome = reply.isLost ? "connection lost" : "open"
            return Table.Row(["\(reply.athleteId)", reply.kind, reply.cause, Instants.text(reply.at), outcome])
          }))
    }
    return tables
  }
}

extension StravaCommand.Refresh {
  func text(_ answer: StravaCommand.Connection, _ style: Style) -> String {
    answer.text + "; a call to Strava is now due, and returns the same token if it is valid for more than an hour"
  }
}

extension StravaCommand.Disconnect {
  func text(_ answer: StravaCommand.Connection, _ style: Style) -> String { answer.text }
}

extension StravaCommand.RotateKey {
  struct Answer: Decodable {
    let resealed: Int64
    let left: Int64
    let keyId: String
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    let rest = answer.left == 0 ? "none left" : "\(answer.left) left: run the command again to see the progress"
    let done = Counted.text(answer.resealed, "secret")
    return "the sealing key is \(Printable.line(answer.keyId)); \(done) resealed, \(rest)"
  }
}

extension StravaCommand {
  struct Subscription: Decodable {
    let state: String
    let id: Int64?
    let callback: String
    let hints: Int64
    let lastHintAt: String?

    static func text(_ subscription: Subscription?) -> String {
      guard let subscription else { return "not subscribed" }
      let callback = Printable.line(subscription.callback)
      guard let id = subscription.id else { return "\(callback) is not confirmed: subscribe again" }
      let last = subscription.lastHintAt.map { ", last hint at \(Instants.text($0))" } ?? ", no hints yet"
      return "subscription \(id) to \(callback)" + last
    }
  }

  struct Subscribed: Decodable {
    let subscription: Subscription?

    var text: String { Subscription.text(subscription) }
  }
}

extension StravaCommand.Subscribe {
  func text(_ answer: StravaCommand.Subscribed, _ style: Style) -> String { answer.text }
}

extension StravaCommand.Unsubscribe {
  func text(_ answer: StravaCommand.Subscribed, _ style: Style) -> String { answer.text }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension StravaCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Status.self,
    Refresh.self,
    Disconnect.self,
    RotateKey.self,
    Subscribe.self,
    Unsubscribe.self,
  ]

  struct Status: ControlCommand {
    static let command = CommandDescription.stravaStatus

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }

  struct Refresh: ControlCommand {
    static let command = CommandDescription.stravaRefresh

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
  }

  struct Disconnect: ControlCommand {
    static let command = CommandDescription.stravaDisconnect

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "reason": .given(reason),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct RotateKey: ControlCommand {
    static let command = CommandDescription.stravaRotateKey

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }

  struct Subscribe: ControlCommand {
    static let command = CommandDescription.stravaSubscribe

    @Option(help: .of(command, "callback"))
    var callback: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["callback": .given(callback)]) }
  }

  struct Unsubscribe: ControlCommand {
    static let command = CommandDescription.stravaUnsubscribe

    @Option(help: .of(command, "id"))
    var id: Int64?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
  }
}
