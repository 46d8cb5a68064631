extension CommandDescription {
  static let checkInsSystem = [checkinsStatus]

  package static let checkinsStatus = CommandDescription(
    "checkins.status", .get, "/v1/checkins", level: .read,
    summary: "Show the upcoming midnights, the number of people whose day ends at each, and the closed days.",
    parameters: [.optional("days", .integer, "Number of days to look back, 1 to 400 (default: 30).")],
    answer: .object([
      "zones": .integer, "overdue": .integer,
      "midnights": .array(.object(["at": .instant, "zones": .integer, "people": .integer])),
      "days": .array(
        .object(["day": .text, "zones": .integer, "checkedIn": .integer, "streaksEnded": .integer])),
    ]))
}
