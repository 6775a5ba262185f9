select t0."id"
from "album" t0
where (t0."title" like ? escape '!' or not (lower(t0."title") like lower(?) escape '!') or t0."year" between cast(? as bigint) and cast(? as bigint) or t0."year" not in (cast(? as bigint)) or t0."year" is null or not ((t0."title" is null or t0."title" = '')) or t0."price" > ? or t0."published" = ?)
order by t0."title", t0."id"
limit 100
-- "%100!%%", "s%", 1840, 1850, 1853, "9.99", 0;
