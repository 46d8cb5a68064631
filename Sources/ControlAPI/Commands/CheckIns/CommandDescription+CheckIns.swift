extension CommandDescription {
  static let checkInsSystem = [checkinsStatus]

  package static let checkinsStatus = CommandDescription(
    "checkins.status", .get, "/v1/checkins", level: .read,
    summary: "The next midnights with the people whose day ends then, and closed days.",
    parameters: [.optional("days", .integer, "How many days back: 1 to 400, by default 30.")],
    answer: .object([
      "zones": .integer, "overdue": .integer,
      "midnights": .array(.object(["at": .instant, "zones": .integer, "people": .integer])),
      "days": .array(
        .object(["day": .text, "zones": .integer, "checkedIn": .integer, "streaksEnded": .integer])),
    ]))
}
