create table countries (code char(2) collate utf8mb4_bin primary key, name varchar(80) not null comment 'in "English"');
create table customers (
  id bigint unsigned auto_increment primary key,
  email varchar(120) not null,
  status enum('new','it''s old','gone') not null default 'new',
  tags set('a','b') default 'a,b',
  balance decimal(12,2) not null default '1.50',
  ratio double default 0.25,
  active boolean not null default true,
  country char(2) collate utf8mb4_bin,
  created datetime(3) not null default current_timestamp(3),
  changed timestamp null default null on update current_timestamp,
  birthday date default '2000-01-31',
  opens time(2),
  born year,
  notes text,
  settings json,
  code varchar(36) default (uuid()),
  label varchar(300) generated always as (concat(lower(email), ' (', status, ')')) stored,
  twice decimal(14,2) generated always as (balance * 2) virtual,
  unique key customers_email (email),
  key customers_country_status (country, status desc),
  key customers_notes (notes(20)),
  fulltext key customers_text (notes),
  constraint customers_country foreign key (country) references countries (code) on delete set null on update cascade,
  constraint customers_balance check (balance >= 0 and balance between -5 and 1000000.50),
  constraint customers_state check (status in ('new', 'gone', 'it''s old')),
  constraint customers_mail check (email like '%@%' and not (birthday is null) or char_length(email) > 3)
) comment 'people who buy' collate utf8mb4_unicode_520_ci;
create table `lines` (
  customer bigint unsigned,
  number int,
  parent_customer bigint unsigned,
  parent_number int,
  quantity smallint unsigned not null default 1,
  primary key (customer, number),
  constraint lines_customer foreign key (customer) references customers (id) on delete cascade,
  constraint lines_parent foreign key (parent_customer, parent_number) references `lines` (customer, number)
);
