begin;

select "id" as found
from "artist"
where "id" = cast(? as bigint) and not (exists (select 1 from "artist" t0 where t0."mentor" = "artist"."id")) for update
-- 3;

update "artist"
set "name" = ?
where "id" = cast(? as bigint)
-- "Amy B.", 3;

select t0."name"
from "artist" t0
where t0."id" in (cast(? as bigint))
order by t0."id"
-- 3;

commit;
