select t0.`id`, t0.`id`, t0.`artist`
from `album` t0
where t0.`id` = ?
-- 1;

select t0.`album` as c0, t0.`album` as c1, t0.`place` as c2
from `track` t0
where t0.`album` = ?
order by t0.`place`, t0.`album`
limit ?
-- 1, 100;

select t0.`album` as c0, t0.`album` as c1, t0.`label` as c2
from `album_label` t0
where t0.`album` = ?
order by t0.`position` is null, t0.`position`, t0.`album`, t0.`label`
limit ?
-- 1, 100;
