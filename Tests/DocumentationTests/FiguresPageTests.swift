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
    let pages = [(FiguresPage.path, FiguresPage.text(records)), (CapacityPage.path, CapacityPage.text(records))]
    for (path, text) in pages {
      let difference = try Checkout.firstDifference(of: path, from: text)
      #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter FiguresPageTests writes \(path)")
    }
  }

  @Test func `a series has the exponent of the power law that fits it, and a drawing with it`() throws {
    var exact = Growth(name: "exact <law>", noun: "rows", unit: "ms", target: 1.05)
    for (size, value) in [(100, 3.0), (10_000, 300.0), (1000, 30.0)] { exact.add(value, at: size) }
    let fit = try #require(exact.fit)
    #expect(abs(fit.exponent - 1) < 1e-9 && abs(fit.factor - 0.03) < 1e-9)
    var flat = Growth(name: "flat", noun: "rows", unit: "ms", target: 0.1)
    for (size, values) in [(100, [2.0, 1.0, 9.0]), (1000, [2.0])] { for value in values { flat.add(value, at: size) } }
    #expect(abs(flat.fit?.exponent ?? 1) < 1e-9)
    var quadratic = Growth(name: "quadratic", noun: "rows", unit: "ms", target: 1.05)
    quadratic.add(1, at: 10)
    #expect(quadratic.fit == nil && quadratic.figures.count == 1)
    quadratic.add(100, at: 100)
    #expect(!quadratic.figures.allSatisfy(\.isMet) && exact.figures.allSatisfy(\.isMet))
    let record = FigureRecord(
      command: "deploy/bench growth-due", day: "2031-06-02", machine: "2 cores", seconds: 605, figures: [],
      growths: [exact, flat, quadratic])
    let text = FiguresPage.text([.growthDue: record])
    #expect(
      text.contains("| exact <law>: 10,000 rows | 300 | 300 | 300 |")
        && text.contains("It took 10 minutes. One target was missed."))
    #expect(text.contains("| quadratic: exponent | 2.00 | 2.00 | 2.00 | 1.05 |"))
    #expect(text.contains("| quadratic: exponent between the last two sizes | 2.00 |"))
    let plot = FiguresPage.plot(.growthDue, record)
    #expect(plot.contains("exact &lt;law&gt;") && plot.contains("exponent 2.00"))
    // The smallest size lies on the left edge, the largest on the right one.
    #expect(plot.contains("cx=\"70.0\"") && plot.contains("cx=\"560.0\""))
    #expect(
      CapacityPage.text([.growthDue: record]).contains("| flat | 100 rows: 2.00 ms | 1,000 rows: 2.00 ms | 0.00 |"))
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
