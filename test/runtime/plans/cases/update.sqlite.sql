begin;

update "album"
set "title" = ?
where "id" = ? and "album"."published" = ?
-- "Ein deutsches Requiem", 3, 0;

select t0."title"
from "album" t0
where (t0."id" in (?) and t0."published" = ?)
order by t0."title", t0."id"
-- 3, 0;

commit;
