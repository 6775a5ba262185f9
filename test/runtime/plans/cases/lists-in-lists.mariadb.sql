select t0.`name`, t0.`id`
from `artist` t0
where t0.`id` <= ?
order by t0.`id`
limit ?
-- 2, 100;

select t0.`artist`, t0.`title`, t0.`id`, t0.`id`
from `album` t0
where t0.`artist` in (?, ?)
order by t0.`artist`, t0.`title`, t0.`id`
limit ?
-- 1, 2, 201;

select t0.`album`, t0.`title`
from `track` t0
where t0.`album` in (?, ?, ?)
order by t0.`album`, t0.`place`, t0.`album`
limit ?
-- 1, 3, 2, 301;

select t0.`album`, t1.`code`, t1.`note`
from `album_label` t0
left join `label` t1 on t1.`code` = t0.`label`
where t0.`album` in (?, ?, ?)
order by t0.`album`, t0.`position` is null, t0.`position`, t0.`album`, t0.`label`
limit ?
-- 1, 3, 2, 301;
