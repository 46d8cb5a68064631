import FoundationEssentials
import TextCoding

/// One activity that was read by its id.
struct FetchedActivity: Sendable {
  /// In the keys of an import, without streams; nil where it cannot be read.
  let summary: JSONValue?
  /// The provider's number of its athlete; nil where it is not stated.
  let athlete: Int64?

  /// Nil where the answer is not this activity.
  init?(_ body: [UInt8], id: Int64) {
    guard let item = try? ActivitySummary.decoder.decode(Item.self, from: Data(body)), item.id == id else { return nil }
    let summary = item.summary?.json
    (self.summary, athlete) = (summary, item.athlete?.value?.id)
  }

  private struct Item: Decodable {
    struct Athlete: Decodable { let id: Int64 }

    enum CodingKeys: CodingKey {
      case id, athlete
    }

    let id: Int64
    let athlete: Loose<Athlete>?
    let summary: ActivitySummary?

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      id = try values.decode(Int64.self, forKey: .id)
      athlete = try values.decodeIfPresent(Loose<Athlete>.self, forKey: .athlete)
      summary = try? ActivitySummary(from: decoder)
    }
  }
}
