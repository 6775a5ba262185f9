begin;

select version
from svc_access_version
where id = 1;

update "album"
set "title" = ?
where "id" = ? and "album"."published" = ?
-- "Mine", 1, 0;

rollback;
