import TextCoding

/// A schedule, as operators defined it.
struct ScheduleAnswer: ShownAnswer {
  let name: String
  let cron: String?
  let at: String?
  let zone: String
  let call: String?
  let missed: String
  let max: Int?
  let within: String?
  let timeout: String
  let splay: String
  let paused: Bool
  let nextDue: String?

  func text(_ style: Style) -> String { Self.text([self], style) }

  static func text(_ schedules: [ScheduleAnswer], _ style: Style) -> String {
    Table(
      columns: [
        .left("NAME", shrinks: true), .left("WHEN", shrinks: true), .left("ZONE", shrinks: true), .left("NEXT DUE"),
      ],
      rows: schedules.map { schedule in
        Table.Row(
          [
            schedule.name, schedule.cron ?? Instants.text(schedule.at), schedule.cron == nil ? "-" : schedule.zone,
            schedule.paused ? "paused" : Instants.text(schedule.nextDue),
          ], detail: schedule.detail, colour: schedule.paused ? .yellow : nil)
      }
    ).text(style)
  }

  private var detail: String {
    var parts = [call ?? "built in", "missed: \(missed)\(whatRuns)"]
    parts.append("timeout \(timeout)")
    if splay != "0s" { parts.append("splay \(splay)") }
    return parts.joined(separator: "; ")
  }
}

extension ScheduleAnswer {
  /// Of the missed ticks.
  private var whatRuns: String {
    if let max, let within { return " of the latest \(max) within \(within)" }
    return switch missed {
    case "skip": " (no tick runs)"
    case "once": " (the latest tick runs)"
    default: ""
    }
  }
}

/// The outcome of a tick.
struct OccurrenceAnswer: Decodable {
  let id: JSONValue
  let schedule: String
  let instant: String
  let status: String
  let reason: String?
  let startedAt: String?
  let finishedAt: String?
  let node: String?
  let rows: Int64?

  static func text(_ occurrences: [OccurrenceAnswer], _ style: Style) -> String {
    let isCoalesced = occurrences.contains { $0.status == "coalesced" }
    return Table(
      columns: [
        .right("ID"), .left("SCHEDULE", shrinks: true), .left("INSTANT"), .left("STATUS"), .right("TOOK"),
        .right("ROWS"), .left("NODE", shrinks: true),
      ],
      rows: occurrences.map { occurrence in
        Table.Row(
          [
            occurrence.id.shown, occurrence.schedule, Instants.text(occurrence.instant), occurrence.status,
            Instants.took(from: occurrence.startedAt, to: occurrence.finishedAt),
            occurrence.rows.map { String($0) } ?? "-", occurrence.node ?? "-",
          ], detail: occurrence.detail, colour: occurrence.colour)
      }
    ).text(style) + (isCoalesced ? "\n\ncoalesced: the tick was missed, and a later one runs instead" : "")
  }

  /// One line below the table explains all coalesced ticks.
  private var detail: String? { status == "coalesced" ? nil : reason }

  private var colour: Style.Colour? {
    switch status {
    case "failed": .red
    case "skipped", "coalesced": .yellow
    default: nil
    }
  }
}
