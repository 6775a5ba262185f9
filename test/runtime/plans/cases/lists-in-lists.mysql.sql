select t0.`name`, t0.`id`
from `artist` t0
where t0.`id` <= ?
order by t0.`id`
limit ?
-- 2, 100;

select t0.`artist`, t0.`title`, t0.`id`, t0.`id`
from `album` t0
where t0.`artist` in (?, ?) and not exists (select 1 from `artist` t1 where t1.`id` in (?, ?) and (select 1 from `album` t2 where t2.`artist` = t1.`id` limit 1 offset 100) = 1)
order by t0.`artist`, t0.`title`, t0.`id`
-- 1, 2, 1, 2;

select t0.`album`, t0.`title`
from `track` t0
where t0.`album` in (?, ?, ?) and not exists (select 1 from `album` t1 where t1.`id` in (?, ?, ?) and (select 1 from `track` t2 where t2.`album` = t1.`id` limit 1 offset 100) = 1)
order by t0.`album`, t0.`place`, t0.`album`
-- 1, 3, 2, 1, 3, 2;

select t0.`album`, t1.`code`, t1.`note`
from `album_label` t0
left join `label` t1 on t1.`code` = t0.`label`
where t0.`album` in (?, ?, ?) and not exists (select 1 from `album` t2 where t2.`id` in (?, ?, ?) and (select 1 from `album_label` t3 where t3.`album` = t2.`id` limit 1 offset 100) = 1)
order by t0.`album`, t0.`position` is null, t0.`position`, t0.`album`, t0.`label`
-- 1, 3, 2, 1, 3, 2;
