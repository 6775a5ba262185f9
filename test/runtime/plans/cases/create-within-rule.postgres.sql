begin;

insert into "album" ("title", "published")
values (?, ?)
returning "id"
-- "Quartet", 0;

select t0."title"
from "album" t0
where (t0."id" in (cast(? as bigint)) and t0."published" = ?)
order by t0."title", t0."id"
-- 5, 0;

commit;
