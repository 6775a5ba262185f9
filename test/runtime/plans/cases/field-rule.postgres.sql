select case when t0."published" = ? then t0."title" end, case when t0."year" < cast(? as bigint) then t0."price" end
from "album" t0
where ((t0."published" = ? or t0."year" < cast(? as bigint)) and not (case when t0."year" < cast(? as bigint) then t0."price" end is null))
order by case when t0."year" < cast(? as bigint) then t0."price" end desc nulls last, t0."id"
limit 100
-- 1, 1850, 1, 1850, 1850, 1850;
