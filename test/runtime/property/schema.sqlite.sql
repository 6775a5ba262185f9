-- Letters of an archive: every column type, nulls, self relations, many-to-many, composite keys.
create table place (
  code char(2) not null primary key,
  name varchar(40) not null,
  population bigint null
);

create table person (
  id integer not null primary key autoincrement,
  name varchar(60) not null,
  born date null,
  active boolean not null,
  height double null,
  home char(2) null references place (code),
  mentor integer null references person (id)
);

create table letter (
  id bigint not null primary key,
  title varchar(80) not null,
  body text null,
  kind varchar(10) null,
  pages int null,
  small smallint null,
  serial bigint null,
  price decimal(10, 2) null,
  weight double null,
  ratio float null,
  open boolean null,
  written date null,
  arrived time null,
  sent datetime null,
  seen timestamp null,
  exact datetime(3) null,
  code uuid null,
  extra json null,
  seal varbinary(20) null,
  tags varchar(100) null,
  secret varchar(40) null,
  author integer null references person (id),
  recipient integer null references person (id),
  reply_to bigint null references letter (id)
);

create table topic (
  id uuid not null primary key,
  name varchar(40) not null,
  position int null,
  parent uuid null references topic (id)
);

create table letter_topic (
  letter bigint not null references letter (id),
  topic uuid not null references topic (id),
  ranking int null,
  remark varchar(40) null,
  primary key (letter, topic)
);

create table folder (
  place char(2) not null references place (code),
  day date not null,
  title varchar(40) null,
  primary key (place, day)
);

create table sheet (
  id integer not null primary key autoincrement,
  folder_place char(2) null,
  folder_day date null,
  letter bigint null references letter (id),
  size decimal(6, 2) null,
  foreign key (folder_place, folder_day) references folder (place, day)
);

create table pin (
  id integer not null primary key autoincrement,
  holder int null,
  kind varchar(20) null,
  item varchar(60) null,
  remark varchar(40) null,
  foreign key (holder) references person (id)
);
