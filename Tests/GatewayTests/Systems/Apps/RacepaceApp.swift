import Foundation

/// The types that the canoe app decodes.
enum RacepaceApp {
  struct Place: Decodable {
    let latitude, longitude: Double
  }

  struct Activity: Decodable {
    let id: String
    let stravaId: Int64
    let userId, name: String
    let activityType: Kind
    let startDate: Date
    let elapsedTime, movingTime, distance: Double
    let maxSpeed, averageSpeed: Double?
    let startLocation, endLocation: Place?
    let isGPSVerified, isUKActivity: Bool
    let flagCount: Int
    let status: Status
    let importedAt: Date
    let polyline: String?
  }

  struct Session: Decodable {
    let token: String
    let user: User
  }

  struct User: Decodable {
    let id, email, displayName: String
    let userType: UserType
    let createdAt, updatedAt: Date
    let dateOfBirth: Date?
    let gender, profileImageURL: String?
    let wallet: Wallet?
  }

  enum UserType: String, Decodable {
    case racer, spectator
  }

  struct Wallet: Decodable {
    let id, userId: String
    let balance: Decimal
    let autoPayoutEnabled: Bool
  }

  enum Kind: String, Decodable {
    case canoeing = "Canoeing"
    case kayaking = "Kayaking"
  }

  enum Status: String, Decodable {
    case pending, verified, underReview, disqualified
  }

  struct FlaggedActivity: Decodable {
    let id, activityId, userId, userName: String
    let flagCount: Int
    let reasons: [Reason]
    let activityDetails: Activity
    let createdAt: Date
  }

  enum Reason: String, Decodable {
    case suspiciousSpeed = "suspicious_speed"
    case motorizedAssistance = "motorized_assistance"
    case impossibleRoute = "impossible_route"
    case fakeActivity = "fake_activity"
    case other
  }

  static func decode<Value: Decodable>(_: Value.Type, _ body: String) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Value.self, from: Data(body.utf8))
  }
}
