begin;

select "id" as found
from "album"
where "id" in (cast(? as bigint), cast(? as bigint)) and "album"."published" = ? for update
-- 4, 1, 0;

select "id" as k0, case when "id" = cast(? as bigint) then 0 when "id" = cast(? as bigint) then 1 end as named
from "album"
where "id" in (cast(? as bigint), cast(? as bigint)) and "album"."published" = ? for update
-- 4, 1, 4, 1, 0;

select "id" as k0, case when "id" = cast(? as bigint) then 0 end as named
from "album"
where "id" = cast(? as bigint) and "album"."published" = ? for update
-- 1, 1, 0;

rollback;
