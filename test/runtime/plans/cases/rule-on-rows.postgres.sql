select t0."title"
from "album" t0
where t0."published" = ?
order by t0."title", t0."id"
limit 100
-- 1;

select count(*) as count
from "album" t0
where t0."published" = ?
-- 1;
