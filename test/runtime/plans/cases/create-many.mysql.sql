begin;

insert into `album` (`title`, `year`)
values (?, ?), (?, ?)
-- "Septet", 1, "Nonet", 2;

select last_insert_id() as first, @@auto_increment_increment as step;

insert into `album` (`title`)
values (?)
-- "Octet";

select t0.`title`, t0.`year`
from `album` t0
where t0.`id` in (?, ?, ?)
order by case when t0.`id` = ? then 0 when t0.`id` = ? then 1 when t0.`id` = ? then 2 end
-- 5, 7, 6, 5, 7, 6;

commit;
