select t0."title"
from "album" t0
where (t0."id" = cast(? as bigint) or lower(t0."title") like lower(?) escape '!' or t0."year" = cast(? as bigint) or t0."price" = ? or t0."artist" = cast(? as bigint))
order by t0."title", t0."id"
limit 100
-- 1846, "%1846%", 1846, "1846", 1846;
