begin;

select version
from svc_access_version
where id = 1 for share;

select "id" as found
from "album"
where "id" = cast(? as bigint) and "album"."published" = ? for update
-- 1, 0;

rollback;
