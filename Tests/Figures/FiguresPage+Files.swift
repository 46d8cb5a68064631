package import Foundation

/// The files of the checkout in the working directory.
extension FiguresPage {
  /// Keeps the figures of a run, and renews the pages and the drawing.
  package static func write(_ record: FigureRecord, of benchmark: Benchmark) throws {
    try write(try record.json, to: recordPath(benchmark))
    try write(plot(benchmark, record), to: plotPath(benchmark))
    let records = try records(in: URL(filePath: "."))
    try write(text(records), to: path)
    try write(CapacityPage.text(records), to: CapacityPage.path)
  }

  /// The recorded figures of a checkout.
  package static func records(in root: URL) throws -> [Benchmark: FigureRecord] {
    let found = try Benchmark.allCases.compactMap { benchmark -> (Benchmark, FigureRecord)? in
      let file = root.appending(path: recordPath(benchmark))
      guard FileManager.default.fileExists(atPath: file.path) else { return nil }
      return (benchmark, try FigureRecord(json: String(contentsOf: file, encoding: .utf8)))
    }
    return Dictionary(uniqueKeysWithValues: found)
  }

  private static func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
