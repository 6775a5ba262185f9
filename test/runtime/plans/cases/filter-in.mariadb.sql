select t0.`id`
from `album` t0
where t0.`id` in (?, ?, ?)
order by t0.`title`, t0.`id`
limit ?
-- 1, 2, 3, 100;
