begin;

insert into "album" ("title", "artist")
values (?, ?)
returning "id"
-- "Quartet", 2;

select t0."title", t1."id", t1."name"
from "album" t0
left join "artist" t1 on t1."id" = t0."artist"
where t0."id" in (cast(? as bigint))
order by t0."title", t0."id"
-- 5;

commit;
