select t0.`title`
from `track` t0
where (t0.`album` = ? and t0.`place` = ?)
-- 1, 2;
