// Schedules
