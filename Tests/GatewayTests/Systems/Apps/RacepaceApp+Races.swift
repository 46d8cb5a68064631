import Foundation

extension RacepaceApp {
  struct Race: Decodable {
    let id: String
    let type: RaceType
    let duration: Duration
    let category: Category
    let startDate, endDate: Date
    let entryCount: Int
    let prizePool, entryFee: Decimal
    let status: Status
    let createdAt: Date

    enum Status: String, Decodable {
      case upcoming, active, ended, cancelled
    }
  }

  enum RaceType: String, Decodable {
    case topSpeed = "top_speed"
    case furthestDistance = "furthest_distance"
    case fastest1km = "fastest_1km"
    case fastest5km = "fastest_5km"
  }

  enum Duration: String, Decodable {
    case daily, weekly, monthly
  }

  enum Category: String, Decodable, CaseIterable {
    case juniorGirls = "junior_girls"
    case juniorBoys = "junior_boys"
    case womenU23 = "women_u23"
    case menU23 = "men_u23"
    case seniorWomen = "senior_women"
    case seniorMen = "senior_men"
    case mastersWomen = "masters_women"
    case mastersMen = "masters_men"
  }
}
