extension CommandDescription {
  static let houseSystem = [settings, set, clockAccept, restoreAccept, restoreFork, personErase, personCorrect]

  package static let settings = CommandDescription(
    "settings", .get, "/v1/settings", level: .read, summary: "List the settings and their values.",
    answer: .array(AnswerSchema.setting.with("changedAt", .nullable(.instant)).with("changedBy", .nullable(.text))))

  package static let set = CommandDescription(
    "set", .post, "/v1/settings/{key}", level: .admin, summary: "Change a setting.",
    parameters: [
      .required("key", .text, "The setting's name from `settlectl settings`."),
      .required("value", .text, "The new value.", isArgument: true), .anyReason,
    ], answer: .setting)

  package static let clockAccept = CommandDescription(
    "clock.accept", .post, "/v1/clock/accept", level: .admin,
    summary: "Accept the database's current time as correct on all nodes.", parameters: [.reason],
    answer: .array(.anything))

  package static let personErase = CommandDescription(
    "person.erase", .post, "/v1/persons/{kind}/{id}/erase", level: .admin,
    summary: """
      Erase a person's data: names, date of birth, tracks, tokens, account, views and event payloads. Ids and the \
      ledger are kept.
      """,
    parameters: [
      .required("kind", .text, "One of athlete, runner, user, reader, checkin or account."),
      .required("id", .text, "The person's id; for a user, the username."), .reason,
    ],
    answer: .object(["erased": .anything, "kept": .array(.text)]))

  package static let personCorrect = CommandDescription(
    "person.correct", .post, "/v1/persons/{kind}/{id}/correct", level: .admin,
    summary: "Correct an athlete's date of birth or gender, which are fixed after the first entry. Entries are kept.",
    parameters: [
      .required("kind", .text, "The kind of person; must be athlete."), .required("id", .integer, "The athlete's id."),
      .optional("dateOfBirth", .text, "The date of birth, YYYY-MM-DD."),
      .optional("gender", .text, "One of female, male or other."), .reason,
    ],
    answer: .object([
      "athleteId": .integer, "dateOfBirth": .nullable(.text),
      "gender": .nullable(.choice(["female", "male", "other"])),
    ]))

  package static let restoreAccept = CommandDescription(
    "restore.accept", .post, "/v1/restore/accept", level: .admin,
    summary: "Resume all nodes on a database that was restored or that lost commits.", parameters: [.reason],
    answer: .object(["timeline": .integer, "ledgerHead": .text, "journal": .text]))

  package static let restoreFork = CommandDescription(
    "restore.fork", .post, "/v1/restore/fork", level: .admin,
    summary: "Give a copied database a new identity, and delete its copies of the original's tokens.",
    parameters: [.reason], answer: .object(["installation": .text, "forgotten": .anything]))
}

extension AnswerSchema {
  fileprivate static let setting = AnswerSchema.object([
    "key": .text, "value": .text, "default": .text, "meaning": .text,
  ])
}
