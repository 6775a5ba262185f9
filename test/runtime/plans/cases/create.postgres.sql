insert into "album" ("title", "year", "artist")
values (?, ?, ?)
returning "album"."id", "album"."title", "album"."year", "album"."price", "album"."published", "album"."artist", case when "id" > 9007199254740991 then abs("id" - "id" - 9223372036854775807 - 1) end
-- "Quartet", 1873, 2;
