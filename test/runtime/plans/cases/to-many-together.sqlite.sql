select t0."name", t0."id"
from "artist" t0
order by t0."id"
limit ?
-- 100;

select t0."artist", t0."title"
from "album" t0
where t0."artist" in (?, ?, ?, ?) and not exists (select 1 from "artist" t1 where t1."id" in (?, ?, ?, ?) and (select 1 from "album" t2 where t2."artist" = t1."id" limit 1 offset 100) = 1)
order by t0."artist", t0."title", t0."id"
-- 1, 2, 3, 4, 1, 2, 3, 4;
