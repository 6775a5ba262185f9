select t0."title"
from "track" t0
where (t0."album" = cast(? as bigint) and t0."place" = cast(? as bigint))
-- 1, 2;
