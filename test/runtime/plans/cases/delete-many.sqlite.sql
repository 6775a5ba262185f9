begin;

select "id" as found
from "album"
where "id" in (?, ?) and "album"."published" = ?
-- 4, 1, 0;

rollback;
