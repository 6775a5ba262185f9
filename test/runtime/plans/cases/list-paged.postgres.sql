select t0."id", t0."title"
from "album" t0
order by t0."year" desc nulls last, t0."id"
limit 2 offset ?
-- 2;

select count(*) as count
from "album" t0;
