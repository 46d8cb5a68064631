import Foundation

/// The models of the guide of seasonal rewards and the guide of team talks, as the guides write them.
enum TeamApp {
  struct SeasonalRewardDTO: Codable, Identifiable, Equatable {
    let id: Int64
    let season: String
    let year: String
    let description: String
    let pointThreshold: Int
    let displayOrder: Int
    let isAchieved: Bool
    let achievedDate: Date?
    let progressPercentage: Double?
  }

  struct SeasonalProgressResponse: Codable {
    let season: String
    let year: String
    let teamTotalPoints: Int
    let activeRosterCount: Int
    let rewards: [SeasonalRewardDTO]
  }

  struct RunnerSeasonalPointsResponse: Codable {
    let runnerId: Int
    let season: String
    let year: String
    let pointsEarned: Int
  }

  struct CreateSeasonalRewardRequest: Codable {
    let season: String
    let year: String
    let description: String
    let pointThreshold: Int
    let displayOrder: Int
    let createdBy: String?
  }

  struct UpdateSeasonalRewardRequest: Codable {
    let description: String?
    let pointThreshold: Int?
    let displayOrder: Int?
  }

  struct EarnPointsRequest: Codable {
    let runnerId: Int
    let activityType: String
    let activityUuid: String?
    let season: String?
    let year: String?
    let description: String?
  }

  struct TrackTeamTalkViewRequest: Codable {
    let teamTalkUuid: String
    let username: String
    let displayName: String
  }

  struct ViewDetail: Codable, Identifiable {
    let username: String
    let displayName: String
    let viewedAt: String

    var id: String { "\(username)-\(viewedAt)" }

    var viewedAtDate: Date? {
      let formatter = ISO8601DateFormatter()
      return formatter.date(from: viewedAt)
    }
  }

  struct ViewSummary: Codable {
    let totalViews: Int
    let uniqueViewers: Int
    let recentViews: [ViewDetail]
  }

  struct TeamTalkResponse: Codable {
    let teamTalk: TeamTalk
    let reactions: [ReactionSummary]
    let comments: [NestedComment]
    let totalCommentCount: Int
    let viewSummary: ViewSummary
  }

  /// The guide shows these three by example only.
  struct TeamTalk: Codable {
    let uuid: String
    let author: String
    let season: String
    let year: String
    let title: String
    let content: String
    let team: String
    let createdAt: String
    let updatedAt: String
  }

  struct ReactionSummary: Codable {
    let emoji: String
    let count: Int
    let usernames: [String]
  }

  struct NestedComment: Codable {
    let uuid: String
    let username: String
    let displayName: String
    let message: String
    let createdAt: String
    let replies: [NestedComment]
  }
}
