select t0.`name`, t1.`id`, t1.`name`, t0.`id`
from `artist` t0
left join `artist` t1 on t1.`id` = t0.`mentor` and (exists (select 1 from `album` t2 where t2.`artist` = t1.`id` and t2.`published` = ?)) <=> true
where (t0.`id` in (select t3.`artist` from `album` t3 where t3.`published` = ?) and t0.`id` in (select t4.`artist` from `album` t4 where (t4.`published` = ? and t4.`year` > ?)))
order by t0.`id`
limit ?
-- 1, 1, 1, 1800, 100;

select t0.`artist`, t0.`title`
from `album` t0
where t0.`artist` in (?, ?) and t0.`published` = ? and not exists (select 1 from `artist` t1 where t1.`id` in (?, ?) and (select 1 from `album` t2 where t2.`artist` = t1.`id` limit 1 offset 100) = 1)
order by t0.`artist`, t0.`title`, t0.`id`
-- 1, 2, 1, 1, 2;
