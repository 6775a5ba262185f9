select t0."name", t0."id"
from "artist" t0
where t0."id" <= cast(? as bigint)
order by t0."id"
limit 100
-- 2;

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select t0."title" as c0, t0."id" as c1, t0."id" as c2 from "album" t0 where t0."artist" = t1."id" order by t0."title", t0."id" limit 100) as r
where t1."id" = any(?)
-- "{1,2}";

select t1."id" as k0, r.*
from "album" t1 cross
join lateral (select t0."title" as c0 from "track" t0 where t0."album" = t1."id" order by t0."place", t0."album" limit 100) as r
where t1."id" = any(?)
-- "{1,3,2}";

select t2."id" as k0, r.*
from "album" t2 cross
join lateral (select t1."code" as c0, t1."note" as c1 from "album_label" t0 left join "label" t1 on t1."code" = t0."label" where t0."album" = t2."id" order by t0."position" is null, t0."position", t0."album", t0."label" limit 100) as r
where t2."id" = any(?)
-- "{1,3,2}";
