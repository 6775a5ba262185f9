select t0."id"
from "album" t0
where t0."id" in (cast(? as bigint), cast(? as bigint), cast(? as bigint))
order by t0."title", t0."id"
limit 100
-- 1, 2, 3;
