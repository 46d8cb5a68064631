import ControlAPI
import Postgres

/// The routes of racepace but for those of logins. Source: Gateway.docc/Systems.md, "Racing".
///
/// Each calls the function of schema `gateway` that has its name, which makes the answer.
enum Racepace {
  static let routes = users + races + activities + wallets + moderation
}

extension Call {
  /// The caller's athlete; 403 where the token has none.
  func athlete() throws(GatewayError) -> Int64 {
    guard let athlete = caller?.athlete else { throw .identity(.athlete) }
    return athlete
  }

  /// The page of a list as a function wants it.
  var limit: Statement { "\(Int64(page?.limit ?? Paging.limitDefault))::integer" }

  /// The body as a function wants it.
  var json: Statement { "\(body ?? "{}")::jsonb" }
}
