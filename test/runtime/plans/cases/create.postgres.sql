insert into "album" ("title", "year", "artist")
values (?, ?, ?)
returning "album"."id", "album"."title", "album"."year", "album"."price", "album"."published", "album"."artist"
-- "Quartet", 1873, 2;
