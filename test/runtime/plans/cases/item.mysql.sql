select t0.`title`, t0.`price`
from `album` t0
where t0.`id` = ?
-- 2;
