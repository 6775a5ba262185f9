select t0."id", t0."name", t0."country", t1."id", t1."name", t1."country", t1."mentor", t1."id", t0."id"
from "artist" t0
left join "artist" t1 on t1."id" = t0."mentor"
where t0."id" = cast(? as bigint)
-- 1;

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select t0."id" as c0, t0."title" as c1, t0."year" as c2, t0."price" as c3, t0."published" as c4, t0."artist" as c5 from "album" t0 where t0."artist" = t1."id" order by t0."title", t0."id" limit 100) as r
where t1."id" = any(?)
-- "{1}";
