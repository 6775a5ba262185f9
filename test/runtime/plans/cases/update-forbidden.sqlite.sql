begin;

update "album"
set "title" = ?
where "id" = ? and "album"."published" = ?
-- "Mine", 1, 0;

rollback;
