select t0."title", t1."id"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist"
order by t0."title", t0."id"
limit 100;

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select t0."title" as c0 from "album" t0 where t0."artist" = t1."id" order by t0."title", t0."id" limit 100) as r
where t1."id" = any(?)
-- "{2,1}";
