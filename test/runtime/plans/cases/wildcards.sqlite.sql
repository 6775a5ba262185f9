select t0."id", t0."name", t0."country", t1."id", t1."name", t1."country", t1."mentor", t1."id", t0."id"
from "artist" t0
left join "artist" t1 on t1."id" = t0."mentor"
where t0."id" = ?
-- 1;

select t0."artist" as c0, t0."id" as c1, t0."title" as c2, t0."year" as c3, t0."price" as c4, t0."published" as c5, t0."artist" as c6
from "album" t0
where t0."artist" = ?
order by t0."title", t0."id"
limit ?
-- 1, 100;
