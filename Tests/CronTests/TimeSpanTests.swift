import Cron
import Testing

@Suite("Lengths of time in words") struct TimeSpanTests {
  @Test(arguments: [
    (0, "0s"), (119, "119s"), (120, "2m"), (7199, "119m"), (7200, "2h"), (172_799, "47h"), (172_800, "2d"),
    (6_066_000, "70d"),
  ])
  func `rough durations use the largest unit that fits at least twice`(seconds: Int64, text: String) {
    #expect(TimeSpan.rough(.seconds(seconds)) == text)
  }

  @Test(arguments: [(0, "0s"), (1500, "1500ms"), (90_000, "90s")])
  func `exact durations use the largest unit that divides them`(milliseconds: Int64, text: String) {
    #expect(TimeSpan.text(.milliseconds(milliseconds)) == text)
  }
}
