extension CommandDescription {
  static let seasonsSystem = [seasonsVerify]

  package static let seasonsVerify = CommandDescription(
    "seasons.verify", .get, "/v1/seasons/verify", level: .read,
    summary: "Recompute every total of points and check the rewards that were achieved.",
    more: "; exit 1 when something differs",
    answer: .object(["totals": .integer, "rewards": .integer, "differences": .array(.pointsDifference)]))
}

extension AnswerSchema {
  fileprivate static let pointsDifference = AnswerSchema.object([
    "what": .text, "runnerId": .nullable(.integer), "rewardId": .nullable(.integer), "season": .nullable(.text),
    "year": .nullable(.text), "stored": .integer, "computed": .integer,
  ])
}
