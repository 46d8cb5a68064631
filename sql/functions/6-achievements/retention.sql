-- The keys of reports have a partition for each month.
SELECT settled.declare_retention('achievements', 'report', 'reported_on', 'achievements.report_retention');
