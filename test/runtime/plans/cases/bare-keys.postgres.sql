select t0."id", t0."id", t0."artist"
from "album" t0
where t0."id" = cast(? as bigint)
-- 1;

select t1."id" as k0, r.*
from "album" t1 cross
join lateral (select t0."album" as c0, t0."place" as c1 from "track" t0 where t0."album" = t1."id" order by t0."place", t0."album" limit 100) as r
where t1."id" = any(?)
-- "{1}";

select t1."id" as k0, r.*
from "album" t1 cross
join lateral (select t0."album" as c0, t0."label" as c1 from "album_label" t0 where t0."album" = t1."id" order by t0."position" is null, t0."position", t0."album", t0."label" limit 100) as r
where t1."id" = any(?)
-- "{1}";
