begin;

select "id" as found
from "album"
where "id" in (cast(? as bigint), cast(? as bigint)) and "album"."published" = ? for update
-- 4, 1, 0;

rollback;
