begin;

select version
from svc_access_version
where id = 1;

select "id" as found
from "album"
where "id" = ? and "album"."published" = ?
-- 3, 0;

update "album"
set "title" = ?
where "id" = ?
-- "Ein deutsches Requiem", 3;

select t0."title"
from "album" t0
where (t0."id" in (?) and t0."published" = ?)
order by t0."title", t0."id"
-- 3, 0;

commit;
