import Postgres

/// Deposits, entries, imports and new races, by athletes who are senior men and connected.
package enum RacingCalls {
  package static func script(_ athletes: [Int64]) -> LoadScript {
    { turn, random in
      let athlete = athletes.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<4: return race(&random)
      case 4..<40: return deposit(athlete, turn, &random)
      case 40..<75:
        let race = turn.races.suffix(8).randomElement(using: &random) ?? 1
        return LoadCall("entry", "SELECT racing.enter_race(\(athlete), \(race))")
      default: return activity(athlete, turn, &random)
      }
    }
  }

  /// Its start is a moment that no other race has; it ends in one to four seconds.
  private static func race(_ random: inout SeededGenerator) -> LoadCall {
    LoadCall(
      "race", promising: .race,
      """
      SELECT racing.create_race('top_speed', 'daily', 'senior_men', settled.clock() - interval '1 hour',
        settled.clock() + \(Int64.random(in: 1000...4000, using: &random)) * interval '1 millisecond')
      """)
  }

  private static func deposit(_ athlete: Int64, _ turn: LoadTurn, _ random: inout SeededGenerator) -> LoadCall {
    let key = "load-\(turn.client)-\(turn.turn)"
    let pence = Int64.random(in: 1...500, using: &random)
    return LoadCall(
      "deposit", promising: .deposit(key: key, pence: pence),
      "SELECT (racing.deposit(\(athlete), \(pence), \(key))->>'amountPence')::bigint")
  }

  private static func activity(_ athlete: Int64, _ turn: LoadTurn, _ random: inout SeededGenerator) -> LoadCall {
    let speed = Int64.random(in: 3000...6000, using: &random)
    let id = Int64(5_000_000_000 + turn.client * 10_000_000 + turn.turn)
    return LoadCall(
      "activity",
      """
      SELECT racing.import_activity(\(athlete), jsonb_build_object('stravaId', \(id), 'name', 'Load',
        'activityType', 'Kayaking', 'startDate', to_char(settled.clock() AT TIME ZONE 'UTC' - interval '10 minutes',
          'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'elapsedTime', 60, 'movingTime', 60,
        'distance', 200, 'maxSpeed', \(speed) / 1000.0, 'polyline', 'mock',
        'startLocation', '{"latitude": 54.3626, "longitude": -2.9206}'::jsonb,
        'endLocation', '{"latitude": 54.3626, "longitude": -2.9206}'::jsonb))
      """)
  }
}
