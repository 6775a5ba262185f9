select t0."id", t0."id", t0."artist"
from "album" t0
where t0."id" = cast(? as bigint)
-- 1;

select t0."album", t0."album", t0."place"
from "track" t0
where t0."album" = any(?)
order by t0."album", t0."place", t0."album"
limit 101
-- "{1}";

select t0."album", t0."album", t0."label"
from "album_label" t0
where t0."album" = any(?)
order by t0."album", t0."position" is null, t0."position", t0."album", t0."label"
limit 101
-- "{1}";
