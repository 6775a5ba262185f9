select t0.`title`
from `album` t0
where (t0.`id` = ? or lower(t0.`title`) like lower(?) escape '!' or t0.`year` = ? or t0.`price` = cast(? as decimal(65,30)) or t0.`artist` = ?)
order by t0.`title`, t0.`id`
limit ?
-- 1846, "%1846%", 1846, "1846", 1846, 100;
