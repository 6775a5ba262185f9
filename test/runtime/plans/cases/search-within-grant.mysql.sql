select t0.`title`
from `album` t0
where (t0.`published` = ? and (t0.`id` = ? or lower(t0.`title`) like lower(?) escape '!' or t0.`year` = ? or t0.`artist` = ?))
order by t0.`title`, t0.`id`
limit ?
-- 1, null, "%9.99%", null, null, 100;
