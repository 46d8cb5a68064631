import ControlAPI
import TextCoding
import TestSupport
import Testing

@Suite("The check of answers") struct AnswerCheckTests {
  private func problems(_ json: String, _ command: CommandDescription) throws -> [String] {
    var check = AnswerCheck()
    check.check(try JSONValue(json), command.answer, at: .init(command.name))
    return check.problems
  }

  @Test func `the check of answers accepts exactly the described shape`() throws {
    let good = #"[{"key":"a","value":"b","default":"c","changedAt":null,"changedBy":null,"meaning":"d"}]"#
    #expect(try problems(good, .settings) == [])
    #expect(try problems("[]", .settings) == [])
    let more = good.replacing(#""d"}"#, with: #""d","more":1}"#)
    #expect(try problems(more, .settings) == ["settings[].more is not described"])
    let less = good.replacing(#","meaning":"d""#, with: "")
    #expect(try problems(less, .settings) == ["settings[].meaning lacks"])
    for other in ["1", "null", "true", "[]", "{}"] {
      #expect(try problems(good.replacing(#""d""#, with: other), .settings).count == 1, "\(other)")
    }
    #expect(try problems("{}", .settings).count == 1)
  }

  @Test func `the check of answers knows instants, choices and nulls`() throws {
    let good = #"[{"localTime":"x","instant":"2031-03-30T01:00:00.000Z","note":"gap"}]"#
    #expect(try problems(good, .schedulePreview) == [])
    #expect(try problems(good.replacing(#""gap""#, with: "null"), .schedulePreview) == [])
    #expect(try problems(good.replacing("gap", with: "gulf"), .schedulePreview).count == 1)
    #expect(try problems(good.replacing(".000Z", with: "+01:00"), .schedulePreview).count == 1)
    #expect(try problems(good.replacing(#""x""#, with: "null"), .schedulePreview).count == 1)
  }
}
