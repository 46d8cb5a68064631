import Markup
import Plots
import Testing

@Suite("Plots draw nothing, one mark and the most marks") struct PlotTests {
  private static func text(_ value: Int64) -> String { String(value) }

  private static func plots(_ count: Int) -> [(name: String, html: HTML)] {
    let values = (0..<count).map { Int64($0) }
    let marks = values.map {
      LanePlot.Mark(at: $0 * 1_000, until: $0 * 1_000 + 500, title: "mark \($0)", tone: .accent)
    }
    let lanes = [
      LanePlot.Lane("Blocks", .blocks(marks)), LanePlot.Lane("Spans", .spans(marks)),
      LanePlot.Lane("Dots", .dots([LanePlot.Row("row", marks)])),
      LanePlot.Lane("Steps", .steps(values.map { .init(at: $0, value: $0, isFuture: false) }, limit: 3, text: "3")),
    ]
    let bars = values.map { BarPlot.Bar(title: "bar \($0)", pieces: [.init($0, .main), .init(1, .bad)]) }
    let days = values.map { day in
      CalendarPlot.Day(
        number: 20_454 + day % 400, month: 1 + Int(day / 31 % 12), day: 1 + Int(day % 31), level: 9, title: "day \(day)"
      )
    }
    let points = values.map { index in
      TrackPlot.Point(latitude: 51, longitude: Double(index) / 1e5, metre: Double(index), mmPerSecond: index * 10)
    }
    let samples = values.map { ProfilePlot.Sample(metre: $0, millisecond: $0, mmPerSecond: $0) }
    let track = TrackPlot(label: "track", points: points, best: 1...5)
    return [
      ("lanes", LanePlot(label: "lanes", span: 0...Int64(count) * 1_000, now: (0, "now"), ticks: [], lanes: lanes).svg),
      ("bars", BarPlot(label: "bars", bars: bars, tick: text).svg),
      ("logarithm", BarPlot(label: "bars", bars: bars, growth: .logarithmic, tick: text).svg),
      ("calendar", CalendarPlot(label: "days", days: days).svg),
      ("dots", DotStrip(label: "dots", dots: values.map { .init(value: $0, title: "dot \($0)") }, tick: text).svg),
      ("track", track.svg),
      ("profile", ProfilePlot(label: "profile", samples: samples, best: (1...5, "best"), track: track).svg),
      ("spark", Sparkline.svg(values, tone: .light, label: "spark")),
    ]
  }

  @Test(arguments: [0, 1, 2, 50, 20_000]) func `a plot of so many marks is a bounded drawing with a label`(_ count: Int)
  {
    for (name, html) in Self.plots(count) where name != "spark" || count <= 50 {
      let svg = html.description
      #expect(svg.hasPrefix("<svg viewBox=\"0 0 ") && svg.contains("aria-label=\""), "\(name)")
      #expect(PlotBounds.outside(in: svg) == [], "\(name)")
      if name != "bars", name != "logarithm", name != "lanes" { #expect(svg.utf8.count < 120_000, "\(name)") }
    }
  }

  @Test func `a mark outside its drawing is found`() {
    func drawing(_ mark: String) -> [String] { PlotBounds.outside(in: #"<svg viewBox="0 0 100 50">\#(mark)</svg>"#) }
    for mark in [
      #"<rect x="90" y="0" width="11" height="5"></rect>"#, #"<circle cx="50" cy="48" r="3"></circle>"#,
      #"<line x1="0" y1="-1" x2="9" y2="9"></line>"#, #"<path d="M1 2L3 4H101Z"></path>"#,
      #"<path d="M1 2V51Z"></path>"#, #"<text x="nan" y="1">a</text>"#,
    ] {
      #expect(drawing(mark).count == 1, "\(mark)")
    }
    #expect(drawing(#"<rect x="90" y="0" width="10" height="50"></rect><path d="M0 0L100 50H3V4Z"></path>"#) == [])
  }

  @Test func `dots beyond the most become one with a count`() {
    let marks = (0..<5_000).map { LanePlot.Mark(at: Int64($0), title: "mark", tone: .accent) }
    let lanes = [LanePlot.Lane("Dots", .dots([LanePlot.Row("", marks)]))]
    let plot = LanePlot(label: "lanes", span: 0...5_000, now: nil, ticks: [], lanes: lanes, marksMax: 100)
    let svg = plot.svg.description
    #expect(svg.split(separator: "<circle").count - 1 <= 100)
    #expect(svg.contains("more</title>"))
  }

  @Test func `a failure among dots is not merged with what ran`() {
    var marks = (0..<1_000).map { LanePlot.Mark(at: Int64($0), title: "ran", tone: .accent) }
    marks.append(LanePlot.Mark(at: 500, title: "failed", tone: .bad, shape: .triangle))
    let lanes = [LanePlot.Lane("Dots", .dots([LanePlot.Row("", marks)]))]
    let plot = LanePlot(label: "lanes", span: 0...1_000, now: nil, ticks: [], lanes: lanes, marksMax: 10)
    #expect(plot.svg.description.contains("<title>failed</title>"))
  }

  @Test func `values out of 64 bits neither trap nor leave the drawing`() {
    let bars = [Int64.max, .max, .min, 0].map { BarPlot.Bar(title: "b", pieces: [.init($0, .main), .init($0, .bad)]) }
    let marks = [Int64.min, -1, 0, .max].map {
      LanePlot.Mark(at: $0, until: .max, title: "m", labels: ["m"], tone: .good, shape: .dot(weight: $0))
    }
    let steps = [Int64.min, .max].map { LanePlot.Step(at: $0, value: $0, isFuture: false) }
    let lanes = [
      LanePlot.Lane("", .blocks(marks)), .init("", .spans(marks)), .init("", .dots([LanePlot.Row("", marks)])),
      .init("", .steps(steps, limit: .min, text: "")),
    ]
    let drawings = [
      (BarPlot(label: "bars", bars: bars, tick: Self.text).svg, "<rect"),
      (BarPlot(label: "bars", bars: bars, growth: .logarithmic, limit: .max, tick: Self.text).svg, "<rect"),
      (Meter(label: "m", used: .max, limit: .min).svg, "<rect"),
      (Meter(label: "m", used: .min, limit: .min).svg, "<rect"),
      (LanePlot(label: "l", span: .min ... .max, now: (.max, "now"), ticks: [], lanes: lanes).svg, "<circle"),
    ]
    for (html, mark) in drawings
      + [[Int64.min, .max], [.max - 2_000, .max]].map({ values in
        let dots = values.map { DotStrip.Dot(value: $0, title: "d") }
        return (DotStrip(label: "dots", dots: dots, tick: Self.text).svg, "<circle")
      })
    {
      #expect(html.description.contains(mark) && PlotBounds.outside(in: html.description) == [])
    }
  }

  @Test func `a field of 500 draws each dot, and names the best one and the values of each column`() {
    let dots = (0..<500).map { index in
      let name = "An athlete with quite a long name, \(index)"
      return DotStrip.Dot(
        value: Int64(index * index % 3_600), title: name, label: index == 7 ? name : nil,
        tone: index < 3 ? .good : .light)
    }
    let svg = DotStrip(label: "dots", dots: dots, tick: Self.text).svg.description
    let (circles, arcs) = (svg.matches(of: /<circle/).count, svg.matches(of: /a2\.8 2\.8 0 1 0 \.1 0z/).count)
    #expect(circles + arcs == 500 && svg.utf8.count < 30_000, "\(circles), \(arcs), \(svg.utf8.count)")
    #expect(
      svg.contains("<title>An athlete with quite a long name, 7</title>")
        && svg.contains(/<title>\d+: \d+ to \d+<\/title>/))
    #expect(PlotBounds.outside(in: svg) == [])
  }

  @Test func `one bar that dwarfs all others is cut, and a text names it`() {
    let bars = [10, 12, 11, 500].map { BarPlot.Bar(title: "day \($0)", pieces: [.init($0, .main)]) }
    #expect(BarPlot(label: "bars", bars: bars, tick: Self.text).svg.description.contains("day 500, off the scale"))
  }

  @Test func `a long name of a bar that is cut gives way to its value`() {
    let bars = [10, 12, 11, 500].map {
      BarPlot.Bar(title: "day \($0): " + String(repeating: "fees, ", count: 20), pieces: [.init($0, .main)])
    }
    let svg = BarPlot(label: "bars", bars: bars, tick: Self.text).svg.description
    #expect(svg.contains("⇡ 500, off the scale") && !svg.contains("fees, , off the scale"))
  }

  @Test func `labels of bars overlap neither each other nor the ends of the axis`() throws {
    let bars = (0..<30).map { BarPlot.Bar(label: "\($0 + 10) Mar", title: "day", pieces: [.init(3, .main)]) }
    let svg = BarPlot(label: "bars", bars: bars, tick: Self.text).svg.description
    let places = svg.matches(of: /x="([\d.]+)" y="132"/).compactMap { Double($0.1) }
    #expect(places.count >= 4 && (places.first ?? 0) >= 18)
    for (left, right) in zip(places, places.dropFirst()) { #expect(right - left >= 36) }
  }

  @Test func `a tick below the present gives way to it, and merged marks show no sum of one of them`() {
    let marks = [100, 100, 100].map {
      LanePlot.Mark(at: 50_000 + $0, title: "r", labels: ["7 settled", "£5"], tone: .good)
    }
    let ticks = [50_000, 90_000].map { LanePlot.Tick(at: $0, text: "T\($0)") }
    let plot = LanePlot(
      label: "l", span: 0...100_000, now: (50_050, "now"), ticks: ticks, lanes: [LanePlot.Lane("Races", .blocks(marks))]
    )
    let svg = plot.svg.description
    #expect(!svg.contains("T50000") && svg.contains("T90000"))
    #expect(svg.contains(">7 settled +2<") && !svg.contains("£5"))
  }

  @Test func `a peak of the speed is kept when samples are thinned`() {
    let samples = (0..<10_000).map {
      ProfilePlot.Sample(metre: $0, millisecond: $0, mmPerSecond: $0 == 7_777 ? 9_999 : 10)
    }
    let thinned = ProfilePlot.thinned(samples)
    #expect(thinned.count <= ProfilePlot.samplesMax && thinned.contains { $0.mmPerSecond == 9_999 })
  }

  @Test func `ticks are round and no more than asked for`() {
    #expect(AxisTicks.upTo(1_607, count: 3) == [500, 1_000, 1_500])
    #expect(AxisTicks.upTo(15, count: 3) == [5, 10, 15])
    #expect(AxisTicks.upTo(0) == [] && AxisTicks.upTo(.max).count <= 4)
    #expect(AxisTicks.powers(upTo: 6_084) == [10, 100, 1_000])
    #expect(AxisTicks.powers(upTo: .max).count == 18)
  }
}
