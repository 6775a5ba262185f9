begin;

select "id" as found
from "album"
where "id" in (?, ?) and "album"."published" = ?
-- 4, 1, 0;

select "id" as k0, case when "id" = ? then 0 when "id" = ? then 1 end as named
from "album"
where "id" in (?, ?) and "album"."published" = ?
-- 4, 1, 4, 1, 0;

select "id" as k0, case when "id" = ? then 0 end as named
from "album"
where "id" = ? and "album"."published" = ?
-- 1, 1, 0;

rollback;
