select t0.`id`, t1.`id`
from `album` t0
left join `artist` t1 on t1.`id` = t0.`artist` and (exists (select 1 from `album` t2 where t2.`artist` = t1.`id` and t2.`published` = ?)) <=> true and (t0.`published` = ?) <=> true
order by t0.`title`, case when t0.`published` = ? then t0.`id` end
limit ?
-- 1, 1, 1, 100;

select t0.`album`, case when ((select t1.`published` from `album` t1 where t1.`id` = t0.`album`) = ? and (select t2.`published` from `album` t2 where t2.`id` = t0.`album`) = ?) then t0.`album` end, case when ((select t3.`published` from `album` t3 where t3.`id` = t0.`album`) = ? and (select t4.`published` from `album` t4 where t4.`id` = t0.`album`) = ?) then t0.`place` end
from `track` t0
where t0.`album` in (?, ?, ?, ?) and not exists (select 1 from `album` t7 where t7.`id` in (?, ?, ?, ?) and (select 1 from `track` t8 where t8.`album` = t7.`id` limit 1 offset 100) = 1)
order by t0.`album`, case when (select t5.`published` from `album` t5 where t5.`id` = t0.`album`) = ? then t0.`place` end is null, case when (select t5.`published` from `album` t5 where t5.`id` = t0.`album`) = ? then t0.`place` end, case when (select t6.`published` from `album` t6 where t6.`id` = t0.`album`) = ? then t0.`album` end
-- 1, 1, 1, 1, 4, 3, 2, 1, 4, 3, 2, 1, 1, 1, 1;

select t0.`artist`, case when t0.`published` = ? then t0.`id` end
from `album` t0
where t0.`artist` in (?, ?) and not exists (select 1 from `artist` t1 where t1.`id` in (?, ?) and (select 1 from `album` t2 where t2.`artist` = t1.`id` limit 1 offset 100) = 1)
order by t0.`artist`, t0.`title`, case when t0.`published` = ? then t0.`id` end
-- 1, 2, 1, 2, 1, 1;
