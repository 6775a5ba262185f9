select t0."title", t1."id"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist"
order by t0."title", t0."id"
limit 100;

select t0."artist", t0."title"
from "album" t0
where t0."artist" = any(?)
order by t0."artist", t0."title", t0."id"
limit 201
-- "{2,1}";
