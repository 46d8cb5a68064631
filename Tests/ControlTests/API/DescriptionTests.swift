import ControlAPI
import Testing

@Suite("The descriptions of commands")
struct DescriptionTests {
  @Test func `descriptions of commands have unique names and paths, and summaries that are sentences`() {
    let all = CommandDescription.all
    #expect(all.count >= 40)
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(Set(all.map { $0.method.rawValue + $0.path }).count == all.count)
    for text in all.map(\.summary) + all.flatMap(\.parameters).map(\.meaning) {
      #expect(text.last == "." && text.count > 5, "\(text)")
    }
  }

  /// Reads that show people's addresses.
  private static let personal = ["account.list", "account.show"]

  @Test(arguments: CommandDescription.all)
  func `descriptions list their path's parameters, and changes need more than the read level`(
    _ command: CommandDescription
  ) {
    for name in PathTemplate(command.path).parameters {
      #expect(command.parameter(name)?.isRequired == true, "\(command.name) \(name)")
    }
    #expect(Set(command.parameters.map(\.name)).count == command.parameters.count)
    let isOpen = command.method == .get && !Self.personal.contains(command.name)
    #expect(isOpen == (command.level == .read), "\(command.name)")
  }
}
