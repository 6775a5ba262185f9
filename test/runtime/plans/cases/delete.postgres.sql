delete
from "album"
where "id" = cast(? as bigint) and "album"."published" = ?
-- 4, 0;
