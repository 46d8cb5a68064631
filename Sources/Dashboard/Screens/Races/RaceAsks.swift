import ControlAPI

/// What the parts of one race ask; nil on the list.
extension PageState {
  var raceId: Int64? { id.flatMap { Int64($0) } }

  var raceAsk: Ask? {
    guard let raceId else { return nil }
    var ask = Ask("race.show", ["id": .integer(raceId), "explain": .boolean(true)])
    if let after = query["after"].flatMap({ Int64($0) }), after > 0 { ask.arguments["after"] = .integer(after) }
    return ask
  }

  var previewAsk: Ask? { raceId.map { Ask("race.preview", ["id": .integer($0)]) } }

  var raceJournalsAsk: Ask? {
    raceId.map { Ask("ledger.journals", ["race": .integer($0), "limit": .integer(50)]) }
  }
}
