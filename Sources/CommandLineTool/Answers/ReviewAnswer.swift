/// A flagged activity, with its open matters.
struct ReviewAnswer: ShownAnswer {
  struct Activity: Decodable {
    let id: Int64
    let athleteId: Int64
    let displayName: String
    let name: String
    let activityType: String
    let startDate: String
    let distance: Double
    let elapsedTime: Double
    let movingTime: Double
    let maxSpeed: Double?
    let status: String
    /// How many open flags count.
    let flagCount: Int
    let importedAt: String
  }

  struct Flag: Decodable {
    let flaggedBy: Int64
    let reason: String
    let notes: String?
    let at: String
    /// Nil from an earlier daemon, whose flags all count.
    let counts: Bool?
  }

  /// A bound that a score exceeds, in the unit of the score.
  struct Bound: Decodable {
    let score: String
    let value: Int64
    let bound: Int64
  }

  /// The rules that refuse decisions; nil: it may be made.
  struct Refusals: Decodable {
    let approve: String?
    let disqualify: String?
    let requestInfo: String?
    let overrule: String?

    /// `approve (decided), disqualify (decided)`; nil if each may be made.
    var text: String? {
      let decisions = [
        ("approve", approve), ("disqualify", disqualify), ("request-info", requestInfo), ("overrule", overrule),
      ]
      let refused = decisions.compactMap { name, rule in rule.map { "\(name) (\($0))" } }
      return refused.isEmpty ? nil : refused.joined(separator: ", ")
    }
  }

  let activity: Activity
  let flags: [Flag]
  /// How many flags are open: possibly more than are shown. Nil from an earlier daemon.
  let openFlags: Int?
  /// When the provider was found to no longer have the activity; nil if it has it, and from an earlier daemon.
  let deletedAt: String?
  /// When its name, places, track and streams were deleted; nil if they exist, and from an earlier daemon.
  let forgottenAt: String?
  let level: Int?
  let openedAt: String?
  let state: String?
  /// Why the daemon opened the review, and the exceeded bounds; an earlier daemon returns neither.
  let reasons: [String]?
  let bounds: [Bound]?
  /// The prize pools that its athlete may win with it; nil from an earlier daemon, and if one activity is shown.
  let stakePence: Int64?
  /// Only if one activity is shown.
  let affected: [ReviewedRace]?
  /// If it is shown, the hash that a decision may expect; nil from an earlier daemon.
  let effectsHash: String?
  /// If it is shown, for each decision the rule that refuses it; nil from an earlier daemon.
  let refusals: Refusals?
  /// The newest, if it is shown, and their number; nil from an earlier daemon.
  let decidedFlags: [DecidedFlag]?
  let decidedFlagsCount: Int?

  static func table(_ reviews: [ReviewAnswer], _ style: Style) -> String {
    Table(
      columns: [
        .right("ACTIVITY"), .left("ATHLETE", shrinks: true), .left("STATUS"), .left("REVIEW"), .right("LEVEL"),
        .left("OPENED"),
      ],
      rows: reviews.map { review in
        Table.Row(
          [
            String(review.activity.id), review.activity.displayName, review.activity.status, review.state ?? "-",
            review.level.map { String($0) } ?? "-", Instants.text(review.openedAt),
          ], detail: review.summary, colour: (review.level ?? 0) > 0 ? .yellow : nil)
      }
    ).text(style)
  }

  private var openCount: Int { openFlags ?? activity.flagCount }

  /// `implausible; 3 flags: suspicious_speed (2), other; £56.00 at stake`.
  private var summary: String {
    let own =
      (reasons ?? []) + (deletedAt == nil ? [] : ["deleted at the provider"])
      + (forgottenAt == nil ? [] : ["forgotten"])
    let doubts = own.isEmpty ? [] : [own.joined(separator: ", ")]
    let stake = stakePence.flatMap { $0 > 0 ? ["\(Sterling.text($0)) at stake"] : nil } ?? []
    return (doubts + (flags.isEmpty && !own.isEmpty ? [] : [flagSummary]) + stake).joined(separator: "; ")
  }

  /// `3 flags: suspicious_speed (2), other`, or `3 flags, 1 counts: ...` where not all of them count.
  private var flagSummary: String {
    let shown = flags.count < openCount ? ", of the first \(flags.count)" : ""
    let counting =
      activity.flagCount < openCount ? ", \(activity.flagCount) \(activity.flagCount == 1 ? "counts" : "count")" : ""
    let head = flags.isEmpty ? "no open flags" : Counted.text(openCount, "flag") + counting + shown
    let counts = Dictionary(grouping: flags, by: \.reason).mapValues(\.count)
    let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { $0.value == 1 ? $0.key : "\($0.key) (\($0.value))" }.joined(separator: ", ")
    return reasons.isEmpty ? head : head + ": " + reasons
  }

  func text(_ style: Style) -> String {
    let sections =
      [head(style), flagList(style)] + decided(style)
      + (affected ?? []).map { $0.text(athlete: activity.athleteId, style) }
    let none = affected?.isEmpty == true ? ["The activity does not count in any race."] : []
    return (sections + none).joined(separator: "\n\n")
  }

  private func head(_ style: Style) -> String {
    let pace = activity.movingTime > 0 ? ", average \(Self.rounded(activity.distance / activity.movingTime)) m/s" : ""
    let top = activity.maxSpeed.map { ", top speed \(Self.rounded($0)) m/s" } ?? ""
    let moving = Score.time(seconds: Int64(activity.movingTime))
    let times = "\(moving) moving, \(Score.time(seconds: Int64(activity.elapsedTime))) elapsed"
    var pairs = [
      ("activity", "\(activity.id), \(activity.name.isEmpty ? "" : activity.name + " ")(\(activity.activityType))"),
      ("athlete", "\(activity.athleteId), \(activity.displayName)"), ("status", activity.status),
      ("started", Instants.text(activity.startDate)), ("imported", Instants.text(activity.importedAt)),
      ("figures", "\(Self.rounded(activity.distance)) m in \(times)\(pace)\(top)"),
    ]
    if let deletedAt { pairs.append(("deleted", "at the provider, \(Instants.text(deletedAt))")) }
    if let forgottenAt {
      pairs.append(("forgotten", "name, places, track and streams, \(Instants.text(forgottenAt))"))
    }
    let review = state.map { "\($0), level \(level ?? 0), opened \(Instants.text(openedAt))" }
    pairs.append(("review", review ?? "none open"))
    if let reasons, !reasons.isEmpty { pairs.append(("reasons", reasons.joined(separator: ", "))) }
    for bound in bounds ?? [] {
      let (value, limit) = (Score.text(bound.value, type: bound.score), Score.text(bound.bound, type: bound.score))
      pairs.append(("exceeded", "\(bound.score) \(value); the limit is \(limit)"))
    }
    if let effectsHash { pairs.append(("effects hash", effectsHash)) }
    if let refused = refusals?.text { pairs.append(("refused now", refused)) }
    return Pairs.text(pairs, style)
  }

  private func flagList(_ style: Style) -> String {
    guard !flags.isEmpty else { return "no open flags" }
    let more = openCount - flags.count
    return Table(
      columns: [.left("FLAG", shrinks: true), .right("BY USER"), .left("AT")],
      rows: flags.map { flag in
        let reason = flag.counts == false ? flag.reason + " (does not count)" : flag.reason
        return Table.Row([reason, String(flag.flaggedBy), Instants.text(flag.at)], detail: flag.notes)
      }
    ).text(style) + (more > 0 ? "\nand \(Counted.text(more, "flag")) more" : "")
  }

  private func decided(_ style: Style) -> [String] {
    guard let decidedFlags, !decidedFlags.isEmpty else { return [] }
    return [DecidedFlag.table(decidedFlags, of: decidedFlagsCount ?? decidedFlags.count, style)]
  }

  /// At most two decimals.
  private static func rounded(_ number: Double) -> String {
    guard number.magnitude < 1e12 else { return String(number) }
    let hundredths = Int64((number * 100).rounded())
    let rest = hundredths.magnitude % 100
    return "\(hundredths / 100)" + (rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)")
  }
}
