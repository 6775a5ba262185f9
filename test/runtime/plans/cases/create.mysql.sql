insert into `album` (`title`, `year`, `artist`)
values (?, ?, ?)
-- "Quartet", 1873, 2;

select t0.`id`, t0.`title`, t0.`year`, t0.`price`, t0.`published`, t0.`artist`
from `album` t0
where t0.`id` in (?)
order by t0.`title`, t0.`id`
-- 5;
