-- Letters of an archive: every column type, nulls, self relations, many-to-many, composite keys.
create table place (
  code char(2) not null primary key,
  name varchar(40) not null,
  population bigint null
);

create table person (
  id int not null auto_increment primary key,
  name varchar(60) not null,
  born date null,
  active boolean not null,
  height double null,
  home char(2) null,
  mentor int null,
  foreign key (home) references place (code),
  foreign key (mentor) references person (id)
);

create table letter (
  id bigint not null auto_increment primary key,
  title varchar(80) not null,
  body text null,
  kind enum('card', 'note', 'wire') null,
  pages int null,
  small smallint unsigned null,
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
  code {uuid} null,
  extra json null,
  seal varbinary(20) null,
  tags varchar(100) null,
  secret varchar(40) null,
  author int null,
  recipient int null,
  reply_to bigint null,
  foreign key (author) references person (id),
  foreign key (recipient) references person (id),
  foreign key (reply_to) references letter (id)
);

create table topic (
  id {uuid} not null primary key,
  name varchar(40) not null,
  position int null,
  parent {uuid} null,
  foreign key (parent) references topic (id)
);

create table letter_topic (
  letter bigint not null,
  topic {uuid} not null,
  ranking int null,
  remark varchar(40) null,
  primary key (letter, topic),
  foreign key (letter) references letter (id),
  foreign key (topic) references topic (id)
);

create table folder (
  place char(2) not null,
  day date not null,
  title varchar(40) null,
  primary key (place, day),
  foreign key (place) references place (code)
);

create table sheet (
  id int not null auto_increment primary key,
  folder_place char(2) null,
  folder_day date null,
  letter bigint null,
  size decimal(6, 2) null,
  foreign key (folder_place, folder_day) references folder (place, day),
  foreign key (letter) references letter (id)
);

create table pin (
  id int not null auto_increment primary key,
  holder int null,
  kind varchar(20) null,
  item varchar(60) null,
  remark varchar(40) null,
  foreign key (holder) references person (id)
);
