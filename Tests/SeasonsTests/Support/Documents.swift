// The models of the integration guide (seasonal-rewards.txt, iOS Data Models), and the answers that it shows.

struct SeasonalRewardDTO: Codable, Equatable {
  let id: Int64
  let season: String
  let year: String
  let description: String
  let pointThreshold: Int
  let displayOrder: Int
  let isAchieved: Bool
  let achievedDate: String?
  let progressPercentage: Double?
}

struct SeasonalProgressResponse: Codable, Equatable {
  let season: String
  let year: String
  let teamTotalPoints: Int
  let activeRosterCount: Int
  let rewards: [SeasonalRewardDTO]
}

struct RunnerSeasonalPointsResponse: Codable, Equatable {
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
  var description: String?
  var pointThreshold: Int?
  var displayOrder: Int?
}

/// The answer of create and update.
struct SeasonalReward: Codable, Equatable {
  let id: Int64
  let season: String
  let year: String
  let description: String
  let pointThreshold: Int
  let displayOrder: Int
  let isAchieved: Bool
  let achievedDate: String?
  let createdAt: String
  let updatedAt: String
}

struct EarnPointsResponse: Codable, Equatable {
  struct Transaction: Codable, Equatable {
    let id: Int64
    let runnerId: Int64
    let activityType: String
    let activityUuid: String?
    let points: Int
    let season: String?
    let year: String?
    let description: String?
    let createdAt: String
  }

  let success: Bool
  let pointsEarned: Int
  let newBalance: Int
  let transaction: Transaction
}

// The models of the view tracking guide (team-talk-views.txt).

struct ViewDetail: Codable, Equatable {
  let username: String
  let displayName: String
  let viewedAt: String
}

struct ViewSummary: Codable, Equatable {
  let totalViews: Int
  let uniqueViewers: Int
  let recentViews: [ViewDetail]
}

struct TeamTalkResponse: Codable, Equatable {
  struct TeamTalk: Codable, Equatable {
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

  struct ReactionSummary: Codable, Equatable {
    let emoji: String
    let count: Int
    let usernames: [String]
  }

  struct NestedComment: Codable, Equatable {
    let uuid: String
    let teamTalkUuid: String
    let username: String
    let displayName: String
    let message: String
    let createdAt: String
    let updatedAt: String
    let replies: [NestedComment]
  }

  let teamTalk: TeamTalk
  let reactions: [ReactionSummary]
  let comments: [NestedComment]
  let totalCommentCount: Int
  let viewSummary: ViewSummary
}
