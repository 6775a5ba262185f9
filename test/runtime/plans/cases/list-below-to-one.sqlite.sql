select t0."title", t1."id"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist"
order by t0."title", t0."id"
limit ?
-- 100;

select t0."artist", t0."title"
from "album" t0
where t0."artist" in (?, ?) and not exists (select 1 from "artist" t1 where t1."id" in (?, ?) and (select 1 from "album" t2 where t2."artist" = t1."id" limit 1 offset 100) = 1)
order by t0."artist", t0."title", t0."id"
-- 2, 1, 2, 1;
