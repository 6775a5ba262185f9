select t0."title"
from "album" t0
where (exists (select 1 from "track" t1 where t1."album" = t0."id" and t1."seconds" > cast(? as bigint)) and not (exists (select 1 from "album_label" t2 left join "label" t3 on t3."code" = t2."label" where t2."album" = t0."id" and t3."note" is null)))
order by t0."title", t0."id"
limit 100
-- 500;
