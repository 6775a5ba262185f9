select t0."title", t0."seconds"
from "track" t0
where (select t1."published" from "album" t1 where t1."id" = t0."album") = ?
order by t0."album", t0."place"
limit 100
-- 1;
