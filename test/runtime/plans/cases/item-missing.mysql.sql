select t0.`id`, t0.`title`, t0.`year`, t0.`artist`
from `album` t0
where (t0.`id` = ? and t0.`published` = ?)
-- 3, 1;
