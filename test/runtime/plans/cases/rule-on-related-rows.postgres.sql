select t0."name", t1."id", t1."name", t0."id"
from "artist" t0
left join "artist" t1 on t1."id" = t0."mentor" and exists (select 1 from "album" t2 where t2."artist" = t1."id" and t2."published" = ?)
where (exists (select 1 from "album" t3 where t3."artist" = t0."id" and t3."published" = ?) and exists (select 1 from "album" t4 where t4."artist" = t0."id" and (t4."published" = ? and t4."year" > cast(? as bigint))))
order by t0."id"
limit 100
-- 1, 1, 1, 1800;

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select t0."title" as c0 from "album" t0 where t0."artist" = t1."id" and t0."published" = ? order by t0."title", t0."id" limit 100) as r
where t1."id" = any(?)
-- 1, "{1,2}";
