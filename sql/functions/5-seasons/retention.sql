-- Views have a partition for each month; what the roll-up counted stays when they go.
SELECT settled.declare_retention('seasons', 'view', 'viewed_at', 'seasons.view_retention');
