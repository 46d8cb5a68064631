import TextCoding

/// A race in which a flagged activity may count: the field, and the changes of each decision.
struct ReviewedRace: Decodable {
  struct Field: Decodable {
    let type: String
    let duration: String
    let category: String
    let status: String
    let dueAt: String
    let entryId: Int64
    let entryStatus: String
    let entries: Int
    let score: Int64?
    let best: [Int64]
    let median: Int64?
    let ranked: Int
  }

  /// The result of the race.
  struct Outcome: Decodable {
    struct Payout: Decodable {
      let place: Int
      let athleteId: Int64
      let amountPence: Int64
    }

    struct Refund: Decodable {
      let entryId: Int64
      let amountPence: Int64
    }

    struct Net: Decodable {
      let athleteId: Int64
      let amountPence: Int64
    }

    let outcome: String?
    let payouts: [Payout]?
    let refunds: [Refund]?
    let waitingFor: JSONValue?
    let revision: Int?
    let nets: [Net]?
  }

  struct Person: Decodable {
    let athleteId: Int64
    let displayName: String
  }

  let raceId: Int64
  let field: Field
  let now: Outcome?
  /// Nil: the decision would be refused.
  let approve: Outcome?
  let disqualify: Outcome?
  /// The athletes with a payment; nil from an earlier daemon.
  let people: [Person]?

  func text(athlete: Int64, _ style: Style) -> String {
    let columns: [(String, Outcome?)] = [("NOW", now), ("APPROVE", approve), ("DISQUALIFY", disqualify)]
    return [head(style), prizes(columns, athlete: athlete, style), notes(columns, style)].filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  private func head(_ style: Style) -> String {
    let shown = { [field] (score: Int64?) in score.map { Score.text($0, type: field.type) } ?? "-" }
    let place =
      "\(field.type), \(field.duration), \(field.category); \(field.status), due \(Instants.text(field.dueAt))"
    let others =
      field.ranked == 0
      ? "no other entry has a score"
      : "\(field.best.map { shown($0) }.joined(separator: ", ")); median of \(field.ranked): \(shown(field.median))"
    return Pairs.text(
      [
        ("race \(raceId)", place), ("entry", "\(field.entryId) of \(field.entries), \(field.entryStatus)"),
        ("score", shown(field.score)), ("best others", others),
      ], style)
  }

  /// Prizes at stake: each athlete's payment, now and after each decision.
  private func prizes(_ columns: [(String, Outcome?)], athlete: Int64, _ style: Style) -> String {
    var rows: [(athlete: Int64, cells: [String])] = []
    for (index, column) in columns.enumerated() {
      for payout in column.1?.payouts ?? [] {
        let row =
          rows.firstIndex { $0.athlete == payout.athleteId }
          ?? {
            rows.append((payout.athleteId, columns.map { $0.1 == nil ? "" : "-" }))
            return rows.count - 1
          }()
        rows[row].cells[index] = "\(payout.place). \(Sterling.text(payout.amountPence))"
      }
    }
    guard !rows.isEmpty else { return "" }
    let names = Dictionary((people ?? []).map { ($0.athleteId, $0.displayName) }) { first, _ in first }
    let table = Table(
      columns: [.right("ATHLETE")] + (names.isEmpty ? [] : [.left("NAME", shrinks: true)])
        + columns.map { .right($0.0) },
      rows: rows.map { row in
        let number = String(row.athlete) + (row.athlete == athlete ? "*" : "")
        return Table.Row([number] + (names.isEmpty ? [] : [names[row.athlete] ?? ""]) + row.cells)
      })
    return "\n" + table.text(style) + "\n"
  }

  private func notes(_ columns: [(String, Outcome?)], _ style: Style) -> String {
    let impossible =
      "is not possible: no flag or review is open, the activity is already decided, or the review window has ended"
    return Pairs.text(columns.map { ($0.0.lowercased(), $0.1?.note ?? impossible) }, style)
  }
}

extension ReviewedRace.Outcome {
  /// The amounts that are not in the table of prizes.
  var note: String {
    var parts: [String] = []
    if let waitingFor, waitingFor != .null {
      parts.append("waits for \(waitingFor["reason"]?.shown ?? "-") until \(Instants.text(waitingFor["until"]?.text))")
    }
    if let revision {
      let all = (nets ?? []).map { net in
        "athlete \(net.athleteId) \(net.amountPence > 0 ? "+" : "")\(Sterling.text(net.amountPence))"
      }
      parts.append("revision \(revision) books " + (all.isEmpty ? "nothing" : all.joined(separator: ", ")))
    }
    let refunds = refunds ?? []
    if outcome == "void" {
      parts.append("void: no entry is ranked")
    } else if outcome != nil, let payouts {
      parts.append("pays \(Sterling.text(payouts.map(\.amountPence).reduce(0, +))) in prizes")
    }
    if !refunds.isEmpty {
      let fees = refunds.count == 1 ? "the fee for entry \(refunds[0].entryId)" : Counted.text(refunds.count, "fee")
      parts.append("refunds \(fees), \(Sterling.text(refunds.map(\.amountPence).reduce(0, +)))")
    }
    return parts.joined(separator: "; ")
  }
}
