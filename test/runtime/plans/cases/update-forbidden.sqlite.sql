begin;

select version
from svc_access_version
where id = 1;

select "id" as found
from "album"
where "id" = ? and "album"."published" = ?
-- 1, 0;

rollback;
