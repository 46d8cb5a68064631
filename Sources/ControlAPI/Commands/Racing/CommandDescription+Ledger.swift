extension CommandDescription {
  package static let ledgerVerify = CommandDescription(
    "ledger.verify", .get, "/v1/ledger/verify", level: .read, weight: .heavy,
    summary: "Recompute every balance and check the journals' hash chain.",
    more: "; exits 1 on any difference",
    parameters: [
      .optional(
        "head", .text, "An earlier head from the system journal, as POSITION:HASH; the chain must contain it.")
    ],
    answer: .object([
      "accounts": .integer, "journals": .integer, "postings": .integer, "differences": .array(.difference),
      "chain": .chainHead, "keptHead": .nullable(.chainHead),
    ]))

  package static let ledgerHead = CommandDescription(
    "ledger.head", .get, "/v1/ledger/head", level: .read,
    summary: """
      Show the head of the journals' hash chain, and the position up to which the last audit checked the ledger.
      """,
    answer: .object([
      "position": .integer, "journal": .nullable(.integer), "hash": .nullable(.text), "at": .nullable(.instant),
      "verifiedTo": .nullable(.integer), "verifiedAt": .nullable(.instant), "differences": .integer,
    ]))

  package static let ledgerBalances = CommandDescription(
    "ledger.balances", .get, "/v1/ledger/balances", level: .read, weight: .heavy,
    summary: "Show the balances of the house and of unsettled races' pools, and the total of all wallets.",
    answer: .object([
      "at": .instant,
      "house": .array(.object(["account": .choice(["platform", "external"]), "pence": .integer])),
      "pools": .array(.object(["status": .raceStatus, "races": .integer, "pence": .integer])),
      "wallets": .object([
        "count": .integer, "pence": .integer,
        "largest": .array(.object(["athleteId": .integer, "pence": .integer])),
      ]),
      "receivablePence": .integer,
      "pendingWithdrawals": .object(["count": .integer, "pence": .integer]),
    ]))

  package static let ledgerDays = CommandDescription(
    "ledger.days", .get, "/v1/ledger/days", level: .read, weight: .heavy,
    summary: "Show daily totals of fees, prizes, refunds, deposits and paid-out withdrawals.",
    parameters: [
      .required("from", .text, "Start of the range, inclusive (ISO 8601).", value: "instant"),
      .required("to", .text, "End of the range, exclusive; at most 400 days after the start.", value: "instant"),
      .optional("zone", .text, "The time zone that defines the days (default: UTC)."),
    ],
    answer: .object([
      "zone": .text,
      "days": .array(
        .object([
          "day": .text, "journals": .integer, "feesPence": .integer, "prizesPence": .integer,
          "refundsPence": .integer, "depositsPence": .integer, "withdrawalsPence": .integer,
        ])),
    ]))

  package static let ledgerJournals = CommandDescription(
    "ledger.journals", .get, "/v1/ledger/journals", level: .read, weight: .heavy,
    summary: "List journals, newest first, optionally for one race, athlete or kind.",
    parameters: [
      .optional("race", .integer, "Only journals for this race."),
      .optional("athlete", .integer, "Only journals for this athlete."),
      .optional(
        "kind", .text, "Only journals of this kind: deposit, withdrawal, entry_fee, prize, refund or correction."),
      .cursor, .optional("limit", .integer, "Maximum number of rows, 1 to 200 (default: 50)."),
    ],
    answer: .page(
      .object([
        "id": .integer, "at": .instant, "kind": .journalKind, "raceId": .nullable(.integer),
        "athleteId": .nullable(.integer), "reference": .text, "description": .text, "pence": .integer,
      ])))

  package static let ledgerJournal = CommandDescription(
    "ledger.journal", .get, "/v1/ledger/journals/{id}", level: .read,
    summary: "Show a journal with its postings and its link in the hash chain.",
    parameters: [.required("id", .integer, "The journal's id.")],
    answer: .object([
      "id": .integer, "at": .instant, "kind": .journalKind, "raceId": .nullable(.integer), "reference": .text,
      "description": .text,
      "postings": .array(
        .object([
          "id": .integer, "account": .choice(["wallet", "pending", "receivable", "pool", "platform", "external"]),
          "athleteId": .nullable(.integer), "entryId": .nullable(.integer), "pence": .integer,
        ])),
      "postingsCount": .integer, "position": .nullable(.integer), "previousHash": .nullable(.text),
      "hash": .nullable(.text),
    ]))
}

extension AnswerSchema {
  fileprivate static let journalKind = AnswerSchema.choice([
    "deposit", "withdrawal", "entry_fee", "prize", "refund", "correction",
  ])

  /// The last three are present for a difference of the chain.
  fileprivate static let difference = AnswerSchema.object(
    ["account": .text, "athleteId": .nullable(.integer), "stored": .integer, "computed": .integer],
    optional: ["finding": .text, "position": .integer, "journalId": .nullable(.integer)])

  fileprivate static let chainHead = AnswerSchema.object(["position": .integer, "hash": .text])
}
