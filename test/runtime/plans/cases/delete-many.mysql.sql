begin;

select version
from svc_access_version
where id = 1 lock in share mode;

select `id` as found
from `album`
where `id` in (?, ?) and `album`.`published` = ? for update
-- 4, 1, 0;

rollback;
