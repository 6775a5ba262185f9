create type mood as enum ('new', 'it''s old', 'gone');
create table countries (code char(2) primary key, name varchar(80) not null);
comment on column countries.name is 'in "English"';
create table customers (
  id bigint generated always as identity primary key,
  old_id serial,
  email varchar(120) not null constraint customers_email unique,
  status mood not null default 'new',
  tags text[] default '{a,b}',
  balance numeric(12,2) not null default 1.50,
  ratio double precision default 0.25,
  active boolean not null default true,
  country char(2) constraint customers_country references countries (code) on delete set null on update cascade,
  created timestamp(3) not null default now(),
  changed timestamptz default current_timestamp,
  birthday date default '2000-01-31',
  opens time(2),
  notes text collate "C",
  settings jsonb default '{"a": 1}',
  code uuid default gen_random_uuid(),
  label text generated always as (lower(email) || ' (' || notes || ')') stored,
  twice numeric(14,2) generated always as (balance * 2) stored,
  constraint customers_balance check (balance >= 0 and balance between -5 and 1000000.50),
  constraint customers_state check (email in ('new', 'gone', 'it''s old') or status <> 'gone'),
  constraint customers_mail check (email like '%@%' and not (birthday is null) or length(email) > 3)
);
comment on table customers is 'people who buy';
create index customers_country_status on customers (country, status desc);
create index customers_lower on customers (lower(email)) where active and email <> 'x';
create unique index customers_once on customers (email) include (country) where birthday is not null;
create index customers_settings on customers using gin (settings);
create table lines (
  customer bigint references customers (id) on delete cascade,
  number integer,
  parent_customer bigint,
  parent_number integer,
  quantity smallint not null default 1,
  primary key (customer, number),
  constraint lines_parent foreign key (parent_customer, parent_number) references lines (customer, number)
);
