select t0."name", t0."id"
from "artist" t0
where t0."id" in (?, ?, ?)
order by t0."id"
limit ?
-- 1, 2, 3, 100;

select *
from (select t0."artist" as c0, t0."title" as c1 from "album" t0 where t0."artist" = ? order by t0."year" desc, t0."id" limit ?) as b0
union all select *
from (select t0."artist" as c0, t0."title" as c1 from "album" t0 where t0."artist" = ? order by t0."year" desc, t0."id" limit ?) as b1
union all select *
from (select t0."artist" as c0, t0."title" as c1 from "album" t0 where t0."artist" = ? order by t0."year" desc, t0."id" limit ?) as b2
-- 1, 1, 2, 1, 3, 1;
