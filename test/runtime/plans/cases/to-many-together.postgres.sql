select t0."name", t0."id"
from "artist" t0
order by t0."id"
limit 100;

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select t0."title" as c0 from "album" t0 where t0."artist" = t1."id" order by t0."title", t0."id" limit 100) as r
where t1."id" = any(?)
-- "{1,2,3,4}";
