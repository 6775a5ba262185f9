begin;

select version
from svc_access_version
where id = 1 for share;

update "album"
set "title" = ?
where "id" = cast(? as bigint) and "album"."published" = ?
-- "Mine", 1, 0;

rollback;
