create table countries (code CHAR(2) not null primary key, name VARCHAR(80) not null) without rowid;
create table customers (
  id integer primary key autoincrement not null,
  email VARCHAR(120) not null collate nocase constraint customers_email unique,
  status TEXT not null default 'new',
  balance DECIMAL(12,2) not null default 1.50,
  ratio REAL default 0.25,
  active BOOLEAN not null default true,
  country CHAR(2) references countries on delete set null on update cascade,
  created TIMESTAMP not null default current_timestamp,
  birthday DATE default '2000-01-31',
  notes TEXT,
  settings JSON default '{"a": 1}',
  label TEXT generated always as (lower(email) || ' (' || notes || ')') stored,
  twice DECIMAL(14,2) as (balance * 2),
  check (balance >= 0 and balance between -5 and 1000000.50),
  constraint customers_state check (status in ('new', 'gone', 'it''s old')),
  constraint customers_mail check (email like '%@%' and not (birthday is null) or length(email) > 3)
);
create index customers_country_status on customers (country, status desc);
create index customers_lower on customers (lower(email)) where active = 1 and email <> 'x';
create unique index customers_once on customers (email) where birthday is not null;
create table lines (
  customer integer not null references customers (id) on delete cascade,
  number INT not null,
  parent_customer INT,
  parent_number INT,
  quantity SMALLINT not null default 1,
  primary key (customer, number),
  foreign key (parent_customer, parent_number) references lines (customer, number)
);
