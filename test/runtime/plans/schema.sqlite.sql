create table artist (
  id integer not null primary key autoincrement,
  name varchar(60) not null,
  country char(2) null,
  mentor integer null references artist (id)
);
create table album (
  id integer not null primary key autoincrement,
  title varchar(80) not null,
  year integer null,
  price decimal(6, 2) not null default 9.99,
  published boolean not null default 0,
  artist integer null references artist (id)
);
create table track (
  album integer not null references album (id),
  place integer not null,
  title varchar(80) not null,
  seconds integer null,
  primary key (album, place)
);
create table label (
  code varchar(20) not null primary key,
  note text null
);
create table album_label (
  album integer not null references album (id),
  label varchar(20) not null references label (code),
  position integer null,
  primary key (album, label)
);
