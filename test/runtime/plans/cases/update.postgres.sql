begin;

update "album"
set "title" = ?
where "id" = cast(? as bigint) and "album"."published" = ?
-- "Ein deutsches Requiem", 3, 0;

select t0."title"
from "album" t0
where (t0."id" in (cast(? as bigint)) and t0."published" = ?)
order by t0."title", t0."id"
-- 3, 0;

commit;
