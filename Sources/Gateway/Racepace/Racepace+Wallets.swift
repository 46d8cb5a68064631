import ControlAPI
import Postgres

extension Racepace {
  static let wallets: [Route] = [
    Route(
      .post, "wallets", of: .racepace, access: .identity(.athlete), repetition: .plain,
      body: .object([:], optional: ["userId": .text.meaning("the caller's own id; can be omitted").example("4711")]),
      refuses: [403: ["self"], 404: ["athlete"]],
      answer: RacepaceSchema.wallet,
      summary: "The caller's wallet, created with the athlete.",
      action: .call { call throws(GatewayError) in
        let athlete = try call.athlete()
        if let named = try? StrictJSON(Array((call.body ?? "").utf8)).member(["userId"]),
          named != .null, named != .string("\(athlete)"), named != .number("\(athlete)")
        {
          throw .notSelf
        }
        return "gateway.racepace_wallet(\(athlete))"
      }),
    Route(
      .get, "wallets/:id", of: .racepace, access: .own(.athlete, parameter: "id"),
      refuses: [404: ["athlete"]],
      answer: RacepaceSchema.wallet,
      summary: "The caller's wallet.",
      action: .call { call throws(GatewayError) in "gateway.racepace_wallet(\(try call.athlete()))" }),
    Route(
      .get, "wallets/:id/transactions", of: .racepace, access: .own(.athlete, parameter: "id"),
      paging: Paging(.before),
      refuses: [404: ["athlete"]],
      answer: .array(RacepaceSchema.transaction),
      summary: "The caller's wallet transactions, newest first.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_transactions(\(try call.athlete()), \(call.page?.id), \(fragment: call.limit))"
      }),
    Route(
      .post, "wallets/:id/deposit", of: .racepace, access: .role(.payments), repetition: .required,
      body: .object(["amount": .pounds]).closed,
      refuses: [403: ["spectator"], 404: ["athlete"], 409: ["erased", "idempotency", "wallet-limit"]],
      success: 201, answer: RacepaceSchema.transaction,
      summary: "Deposits money into an athlete's wallet; requests with the same key make only one deposit.",
      limit: .payments,
      action: .call { call throws(GatewayError) in
        """
        gateway.racepace_deposit(\(try call.id("id", of: "athlete")), \(fragment: call.json), \(call.requiredKey))
        """
      }),
    Route(
      .post, "wallets/:id/withdraw", of: .racepace, access: .own(.athlete, parameter: "id"), repetition: .required,
      body: .object(["amount": .pounds]).closed,
      refuses: [
        402: ["funds", "resting"], 404: ["athlete"], 409: ["idempotency", "receivable"],
        503: ["home", "withdrawals-stopped"],
      ],
      success: 201, answer: RacepaceSchema.transaction,
      summary: "Withdraws money from the caller's wallet; requests with the same key make only one withdrawal.",
      action: .call { call throws(GatewayError) in
        "gateway.racepace_withdraw(\(try call.athlete()), \(fragment: call.json), \(call.requiredKey))"
      }),
  ]
}
