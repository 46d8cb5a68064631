/// The documents' field tables, as types.
struct Achievement: Codable, Equatable {
  let id: Int64
  let slug: String
  let name: String
  let description: String
  let icon: Icon
  let unlockRequirements: UnlockRequirements?
  let progress: Progress?
  let steps: [Step]
  let isMultistep: Bool
  let isUnlocked: Bool
  let dateUnlocked: String?
  let reward: Int64?
  let isHidden: Bool
  let category: String?
  let displayOrder: Int64
}

struct Icon: Codable, Equatable {
  let type: String
  let color: String
  let symbol: String
  let svgUrl: String?
}

struct UnlockRequirements: Codable, Equatable {
  let metric: String
  let value: Int64
  var condition: String?
  var target: String?
}

struct Progress: Codable, Equatable {
  let current: Int64
  let required: Int64
  let percentage: Double
}

struct Step: Codable, Equatable {
  let stepOrder: Int64
  let name: String
  let description: String
  let metric: String
  let targetValue: Int64
  let target: String?
  let requiresPreviousStep: Bool
  let current: Int64
  let isCompleted: Bool
}

struct UserList: Codable, Equatable {
  let userId: Int64
  let total: Int64
  let unlockedCount: Int64
  let achievements: [Achievement]
}

struct Checked: Codable, Equatable {
  let newlyUnlocked: [Achievement]
  let achievements: [Achievement]
}

struct Statistics: Codable, Equatable {
  struct Counted: Codable, Equatable {
    let id: Int64
    let name: String
    let slug: String
    let unlockCount: Int64
  }

  let totalAchievements: Int64
  let totalUnlocks: Int64
  let averageUnlocksPerAchievement: Double
  let mostUnlocked: Counted?
  let leastUnlocked: Counted?
  let topAchievers: [Achiever]
}

struct Achiever: Codable, Equatable {
  let rank: Int64
  let userId: Int64
  let userName: String
  let achievementCount: Int64
}
