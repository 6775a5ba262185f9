create table artist (
  id int not null auto_increment primary key,
  name varchar(60) not null,
  country char(2) null,
  mentor int null,
  foreign key (mentor) references artist (id)
);
create table album (
  id int not null auto_increment primary key,
  title varchar(80) not null,
  year int null,
  price decimal(6, 2) not null default 9.99,
  published boolean not null default 0,
  artist int null,
  foreign key (artist) references artist (id)
);
create table track (
  album int not null,
  place int not null,
  title varchar(80) not null,
  seconds int null,
  primary key (album, place),
  foreign key (album) references album (id)
);
create table label (
  code varchar(20) not null primary key,
  note text null
);
create table album_label (
  album int not null,
  label varchar(20) not null,
  position int null,
  primary key (album, label),
  foreign key (album) references album (id),
  foreign key (label) references label (code)
);
