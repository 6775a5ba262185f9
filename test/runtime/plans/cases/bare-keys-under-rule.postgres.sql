select t0."id", t1."id"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist" and exists (select 1 from "album" t2 where t2."artist" = t1."id" and t2."published" = ?) and t0."published" = ?
order by t0."title", case when t0."published" = ? then t0."id" end nulls first
limit 100
-- 1, 1, 1;

select t7."id" as k0, r.*
from "album" t7 cross
join lateral (select case when ((select t1."published" from "album" t1 where t1."id" = t0."album") = ? and (select t2."published" from "album" t2 where t2."id" = t0."album") = ?) then t0."album" end as c0, case when ((select t3."published" from "album" t3 where t3."id" = t0."album") = ? and (select t4."published" from "album" t4 where t4."id" = t0."album") = ?) then t0."place" end as c1 from "track" t0 where t0."album" = t7."id" order by case when (select t5."published" from "album" t5 where t5."id" = t0."album") = ? then t0."place" end is null, case when (select t5."published" from "album" t5 where t5."id" = t0."album") = ? then t0."place" end, case when (select t6."published" from "album" t6 where t6."id" = t0."album") = ? then t0."album" end nulls first limit 100) as r
where t7."id" = any(?)
-- 1, 1, 1, 1, 1, 1, 1, "{4,3,2,1}";

select t1."id" as k0, r.*
from "artist" t1 cross
join lateral (select case when t0."published" = ? then t0."id" end as c0 from "album" t0 where t0."artist" = t1."id" order by t0."title", case when t0."published" = ? then t0."id" end nulls first limit 100) as r
where t1."id" = any(?)
-- 1, 1, "{2,1}";
