begin;

select `id` as found
from `album`
where `id` in (?, ?, ?) for update
-- 1, 2, 3;

update `album`
set `price` = ?
where `id` in (?, ?, ?)
-- "5.00", 1, 2, 3;

select t0.`id`, t0.`price`
from `album` t0
where t0.`id` in (?, ?, ?)
order by t0.`title`, t0.`id`
-- 1, 2, 3;

commit;
