select t0."name", t0."id"
from "artist" t0
order by t0."id"
limit 100;

select t0."artist", t0."title"
from "album" t0
where t0."artist" = any(?)
order by t0."artist", t0."title", t0."id"
limit 401
-- "{1,2,3,4}";
