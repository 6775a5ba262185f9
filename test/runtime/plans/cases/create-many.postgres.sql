begin;

insert into "album" ("title", "year")
values (?, ?), (?, ?)
returning "id"
-- "Septet", 1, "Nonet", 2;

insert into "album" ("title")
values (?)
returning "id"
-- "Octet";

select t0."title", t0."year"
from "album" t0
where t0."id" in (cast(? as bigint), cast(? as bigint), cast(? as bigint))
order by case when t0."id" = cast(? as bigint) then 0 when t0."id" = cast(? as bigint) then 1 when t0."id" = cast(? as bigint) then 2 end
-- 5, 7, 6, 5, 7, 6;

commit;
