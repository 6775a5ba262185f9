select t0."id", t0."title", t0."year", t0."price", t0."published", t0."artist"
from "album" t0
order by t0."title", t0."id"
limit 100;
