select t0."title"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist"
order by t1."name" desc nulls last, t0."title", t0."id"
limit 100;
