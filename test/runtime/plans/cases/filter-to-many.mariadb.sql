select t0.`title`
from `album` t0
where (t0.`id` in (select t1.`album` from `track` t1 where t1.`seconds` > ?) and not (exists (select 1 from `album_label` t2 left join `label` t3 on t3.`code` = t2.`label` where t2.`album` = t0.`id` and t3.`note` is null)))
order by t0.`title`, t0.`id`
limit ?
-- 500, 100;
