select t0."id", t0."name", t0."country", t1."id", t1."name", t1."country", t1."mentor", t1."id", t0."id"
from "artist" t0
left join "artist" t1 on t1."id" = t0."mentor"
where t0."id" = cast(? as bigint)
-- 1;

select t0."artist", t0."id", t0."title", t0."year", t0."price", t0."published", t0."artist"
from "album" t0
where t0."artist" = any(?)
order by t0."artist", t0."title", t0."id"
limit 101
-- "{1}";
