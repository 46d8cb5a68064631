import HostProcess

/// The demo's last words: who can log in, and lines to copy that call each system.
struct DemoInvitation: Sendable {
  let serving: DemoServing
  let places: DemoPlaces
  let cast: DemoCast
  let clock: String
  /// Where the logs are.
  let directory: String
  let controlSocket: String
  let dashboard: String
  /// A race that waits, and its best activity, which is under review.
  let waiting: (race: Int64, activity: Int64)

  var text: String {
    """

    The gateway answers this machine at \(serving.url), and the clock runs on from \(clock).
    Ctrl-C ends it all and removes everything. The daemon's log is \(directory)/settled.log,
    the gateway's \(directory)/gateway.log

    Who can log in, with address, password, and a token for seven days:

    \(cast.all.map(shown).joined(separator: "\n"))

    Lines to copy; -H @FILE sends the token of somebody above:

      # racepace: what runs, a leaderboard, a log-in, a profile
    \(curl("races?type=furthest_distance&status=active"))
    \(curl("races/\(places.settledRace)/leaderboard"))
    \(curl("auth/login", #"{"email": "\#(cast.racer.email)", "password": "\#(cast.racer.password)"}"#))
    \(curl("users/\(places.winner)", as: cast.racer))
      # money is paid in (the same key again is the same deposit), and a race is entered (once)
    \(curl("wallets/\(places.winner)/deposit", #"{"amount": 20.50}"#, as: cast.payments, "-H 'Idempotency-Key: demo-1'"))
    \(curl("races/\(places.openRace)/enter", as: cast.racer, "-X POST"))
      # what was flagged, for a moderator
    \(curl("moderation/flagged", as: cast.moderator))
      # team: the way to its rewards, points that the coach gives, the talks with the coach's summary of views
    \(curl("api/v1/points/seasonal/progress?season=\(DemoPlaces.season.name)&year=\(DemoPlaces.season.year)"))
    \(curl("api/v1/points/earn", points, as: cast.coach))
    \(curl("api/v1/team-talks/all", as: cast.coach))
      # gread: a reader's achievements
    \(curl("gread/v2/me/achievements", as: cast.reader))
      # check-in: once a day, and its result
    \(curl("api/age/daily-update", Self.metrics, as: cast.checkIn))
    \(curl("api/stats/summary", as: cast.checkIn))

    The daemon answers operators on its control socket:

      # what is due and what is wrong; why this place and these pence; what happens, as it happens
    \(settlectl("status"))
    \(settlectl("race show \(places.settledRace) --explain"))
    \(settlectl("ledger verify"))
      # race \(waiting.race) waits: its best activity is under review. What would each decision pay?
    \(settlectl("review show \(waiting.activity)"))
    \(settlectl("watch"))

    The same in a browser of this machine, with buttons for changes:

      \(dashboard)
    """
  }

  private func shown(_ person: DemoPerson) -> String {
    """
      \(person.email)  \(person.password)  (\(person.about))
        \(person.token)
    """
  }

  private func settlectl(_ words: String) -> String {
    "  \(Host.siblingProgram("settlectl")) \(words) --socket \(controlSocket)"
  }

  /// A line for a shell. With a body it is a POST.
  private func curl(_ path: String, _ body: String? = nil, as person: DemoPerson? = nil, _ options: String? = nil)
    -> String
  {
    let words = [
      "curl -sS", person.map { "-H @\($0.tokenFile)" }, options, body.map { "--json '\($0)'" },
      "'\(serving.url)/\(path)'",
    ]
    return "  " + words.compactMap { $0 }.joined(separator: " ")
  }

  private var points: String {
    """
    {"runnerId": 1, "activityType": "WORKOUT", "activityUuid": "hills", "season": "\(DemoPlaces.season.name)", \
    "year": "\(DemoPlaces.season.year)"}
    """
  }

  private static let metrics = """
    {"sleepHours": 8, "steps": 9500, "vigorousMinutes": 30, "processedFoodScore": 2, "alcoholUnits": 0, \
    "stressLevel": 3, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """
}
