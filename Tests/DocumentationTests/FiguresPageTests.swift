import Figures
import TestSupport
import Testing

@Suite("The page of figures", .timeLimit(.minutes(1))) struct FiguresPageTests {
  @Test func `the page and its drawings show the recorded figures`() throws {
    let records = try FiguresPage.records(in: Checkout.root)
    try #require(!records.isEmpty, "deploy/bench all --record writes them")
    for (benchmark, record) in records {
      let difference = try Checkout.firstDifference(
        of: FiguresPage.plotPath(benchmark), from: FiguresPage.plot(benchmark, record))
      #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter FiguresPageTests draws \(benchmark.rawValue)")
    }
    let difference = try Checkout.firstDifference(of: FiguresPage.path, from: FiguresPage.text(records))
    #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter FiguresPageTests writes the page")
  }

  @Test func `a page marks a missed target, and draws the figures closest to theirs`() {
    let figures = (1...20).map { Figure(name: "figure \($0)", unit: "ms", values: [Double($0)], target: 20) }
    let far = Figure(name: "late & <far>", unit: "s", values: [70, 90, 80], target: 20)
    let record = FigureRecord(
      command: "deploy/bench ticks", day: "2031-06-02", machine: "2 cores", figures: figures + [far])
    let text = FiguresPage.text([.ticks: record])
    #expect(text.contains("| late & <far> | 70.0 | 80.0 | 90.0 | 20.0 | s |"))
    #expect(text.contains("on 2 cores. One target was missed."))
    let plot = FiguresPage.plot(.ticks, record)
    #expect(plot.contains("late &amp; &lt;far&gt;") && plot.contains("80.0 s, missed"))
    #expect(plot.contains("figure 20") && !plot.contains("figure 2<"))
    // Twice the target is the right edge, which the greatest value does not pass.
    #expect(plot.contains("x2=\"590.0\"") && !plot.contains("x2=\"591"))
  }
}
