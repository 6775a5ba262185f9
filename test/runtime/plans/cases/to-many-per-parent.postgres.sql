select t0."name", t0."id"
from "artist" t0
where t0."id" in (cast(? as bigint), cast(? as bigint), cast(? as bigint))
order by t0."id"
limit 100
-- 1, 2, 3;

select *
from (select t0."artist" as c0, t0."title" as c1 from "album" t0 where t0."artist" = ? order by t0."year" desc nulls last, t0."id" limit 1) as b0
union all select *
from (select t0."artist" as c0, t0."title" as c1 from "album" t0 where t0."artist" = ? order by t0."year" desc nulls last, t0."id" limit 1) as b1
union all select *
from (select t0."artist" as c0, t0."title" as c1 from "album" t0 where t0."artist" = ? order by t0."year" desc nulls last, t0."id" limit 1) as b2
-- 1, 2, 3;
