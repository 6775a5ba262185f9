begin;

select `id` as found
from `artist`
where `id` = ? and not (exists (select 1 from `artist` t0 where t0.`mentor` = `artist`.`id`)) for update
-- 3;

update `artist`
set `name` = ?
where `id` = ?
-- "Amy B.", 3;

select t0.`name`
from `artist` t0
where t0.`id` in (?)
order by t0.`id`
-- 3;

commit;
