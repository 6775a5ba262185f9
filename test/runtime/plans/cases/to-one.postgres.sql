select t0."title", t1."id", t1."name", t2."id", t2."name"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist"
left join "artist" t2 on t2."id" = t1."mentor"
where t1."country" = ?
order by t1."name" nulls first, t0."id"
limit 100
-- "de";
