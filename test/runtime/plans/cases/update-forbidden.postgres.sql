begin;

update "album"
set "title" = ?
where "id" = cast(? as bigint) and "album"."published" = ?
-- "Mine", 1, 0;

rollback;
