import Testing

@testable import Racing

@Suite("Validation")
struct ValidationTests {
  private static let belfast = Location(latitude: 54.5973, longitude: -5.9301)
  private static let dublin = Location(latitude: 53.3498, longitude: -6.2603)
  private static let measures = ActivityMeasures(
    distance: 2_000_000_000_000, elapsedTime: 700_000_000_000, movingTime: 600_000_000_000, maxSpeed: 4_000_500_000)

  @Test(
    arguments: [
      ("Canoeing", belfast, belfast, true, []),
      ("Kayaking", belfast, belfast, true, []),
      ("Running", belfast, belfast, true, [.type]),
      ("kayaking", belfast, belfast, true, [.type]),
      ("", nil, nil, false, [.type, .gps]),
      ("Kayaking", nil, belfast, true, [.gps]),
      ("Kayaking", belfast, nil, true, [.gps]),
      ("Kayaking", nil, nil, true, [.gps]),
      ("Kayaking", belfast, belfast, false, [.gps]),
      ("Kayaking", nil, dublin, true, [.gps, .uk]),
      ("Kayaking", dublin, nil, true, [.gps, .uk]),
      ("Kayaking", dublin, dublin, false, [.gps, .uk]),
      ("Kayaking", dublin, belfast, true, [.uk]),
      ("Kayaking", belfast, dublin, true, [.uk]),
      ("Rowing", dublin, nil, false, [.type, .gps, .uk]),
    ] as [(String, Location?, Location?, Bool, [RejectionReason])])
  func `validation rejects with every reason that applies, in order`(
    type: String, start: Location?, end: Location?, hasTrack: Bool, expected: [RejectionReason]
  ) {
    let decision = Validation(
      Validation.Input(
        activityType: type, startLocation: start, endLocation: end, hasTrack: hasTrack, measures: Self.measures))
    #expect(
      decision == (expected.isEmpty ? .verified(Scores(Self.measures)) : .rejected(expected, Scores(Self.measures))))
  }

  @Test func `validation names its reasons as the contract does`() {
    #expect(RejectionReason.allCases.map(\.rawValue) == ["type", "gps", "uk"])
  }
}
