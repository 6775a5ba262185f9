delete
from `album`
where `id` = ? and `album`.`published` = ?
-- 4, 0;
