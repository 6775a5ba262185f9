begin;

insert into "album" ("title", "published")
values (?, ?)
returning "id", case when "id" > 9007199254740991 then abs("id" - "id" - 9223372036854775807 - 1) end
-- "Quartet", 0;

select t0."title"
from "album" t0
where (t0."id" in (?) and t0."published" = ?)
order by t0."title", t0."id"
-- 5, 0;

commit;
