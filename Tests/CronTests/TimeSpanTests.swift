import Cron
import Testing

@Suite("Lengths of time in words") struct TimeSpanTests {
  @Test(arguments: [
    (0, "0s"), (119, "119s"), (120, "2m"), (7199, "119m"), (7200, "2h"), (172_799, "47h"), (172_800, "2d"),
    (6_066_000, "70d"),
  ])
  func `are rough in the largest unit of which there are two`(seconds: Int64, text: String) {
    #expect(TimeSpan.rough(.seconds(seconds)) == text)
  }

  @Test(arguments: [(0, "0s"), (1500, "1500ms"), (90_000, "90s")])
  func `are exact in the largest unit that leaves no rest`(milliseconds: Int64, text: String) {
    #expect(TimeSpan.text(.milliseconds(milliseconds)) == text)
  }
}
