extension CommandDescription {
  static let raceSystem = [raceShow, racePreview, raceSettle, raceCancel]

  private static let race = CommandParameter.required("id", .integer, "The race.")

  package static let raceShow = CommandDescription(
    "race.show", .get, "/v1/races/{id}", level: .read, summary: "A race and its state.",
    parameters: [
      race, .optional("explain", .boolean, "Add why each has this place, these pence, this wait."),
      .optional("after", .integer, "With explain: leave out so many entries of the ranking; 500 are shown."),
    ], answer: .race)

  package static let racePreview = CommandDescription(
    "race.preview", .get, "/v1/races/{id}/settlement", level: .read,
    summary: "What settling a race would pay now, also before its end; nothing is written.", parameters: [race],
    answer: .settlement)

  package static let raceSettle = CommandDescription(
    "race.settle", .post, "/v1/races/{id}/settle", level: .operate, summary: "Settle a race that is due.",
    more: ", or show what that would pay",
    parameters: [
      race, .optional("expectHash", .text, "Refuse unless the inputs have this hash, as the dry run shows it."),
      .optional("override", .boolean, "Skip grace and hold: administrators only, with a reason."), .anyReason,
    ], answer: .settlement)

  package static let raceCancel = CommandDescription(
    "race.cancel", .post, "/v1/races/{id}/cancel", level: .admin,
    summary: "Cancel a race that is not settled; every fee goes back in full.", parameters: [race, .reason],
    answer: .object(["raceId": .integer, "status": .choice(["cancelled"]), "refundedPence": .integer]))
}
