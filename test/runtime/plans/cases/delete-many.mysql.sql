begin;

select `id` as found
from `album`
where `id` in (?, ?) and `album`.`published` = ? for update
-- 4, 1, 0;

rollback;
