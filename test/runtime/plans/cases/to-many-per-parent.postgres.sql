select t0."name", t0."id"
from "artist" t0
where t0."id" in (cast(? as bigint), cast(? as bigint), cast(? as bigint))
order by t0."id"
limit 100
-- 1, 2, 3;

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select t0."title" as c0 from "album" t0 where t0."artist" = t1."id" order by t0."year" desc nulls last, t0."id" limit 1) as r
where t1."id" = any(?)
-- "{1,2,3}";
