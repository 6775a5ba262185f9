select t0."title"
from "album" t0
where (t0."published" = ? and (t0."id" = cast(? as bigint) or lower(t0."title") like lower(?) escape '!' or t0."year" = cast(? as bigint) or t0."artist" = cast(? as bigint)))
order by t0."title", t0."id"
limit 100
-- 1, null, "%9.99%", null, null;
