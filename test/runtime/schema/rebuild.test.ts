/** A table of SQLite that is made anew keeps all that is about it: rows below it, views, triggers, and the count of its keys. */
import { expect, it } from 'vitest';
import { edited, field } from './edits.js';
import { usePlaces, type Place } from './places.js';

const create = usePlaces();

/** Has the table `boxes` made anew, as its field gets another type. */
const rebuild = async (place: Place): Promise<void> => {
  const wanted = edited(await place.snapshot(), (snapshot) => {
    Object.assign(field(snapshot, 'boxes', 'code').schema, { data_type: 'TEXT' });
  });
  const difference = await place.diff(wanted, { explain: true });
  expect(difference?.explain?.statements).toContain('DROP TABLE "boxes"');
  await place.apply(difference as never);
  expect(await place.diff(wanted)).toBeNull();
};

const boxes = `create table boxes (id integer primary key autoincrement, weight integer, code integer);
  insert into boxes (id, weight) values (1, 5), (2, 6);`;

it('rows that are deleted with those of the table stay, and are deleted with them afterwards', async () => {
  const place = await create(
    'sqlite',
    `${boxes} create table labels (id integer primary key, box integer references boxes (id) on delete cascade);
    insert into labels values (1, 1), (2, 2);`,
  );
  await rebuild(place);
  expect(await place.database.query('select * from labels')).toEqual([
    { id: 1, box: 1 },
    { id: 2, box: 2 },
  ]);
  await place.database.write({ text: 'delete from boxes where id = 1', values: [] });
  expect(await place.database.query('select id from labels')).toEqual([{ id: 2 }]);
});

it('views of the table, and views of those, are read as before', async () => {
  const place = await create(
    'sqlite',
    `${boxes} create view heavy as select id, weight from boxes where weight > 5;
    create view heaviest as select max(weight) as weight from heavy;`,
  );
  await rebuild(place);
  expect(await place.database.query('select * from heavy')).toEqual([{ id: 2, weight: 6 }]);
  expect(await place.database.query('select * from heaviest')).toEqual([{ weight: 6 }]);
});

it('triggers of the table, and those of others that write to it, go on', async () => {
  const place = await create(
    'sqlite',
    `${boxes} create table notes (id integer primary key, note text);
    create trigger noted after update on boxes begin insert into notes (note) values (new.weight); end;
    create trigger heavier after delete on notes begin update boxes set weight = weight + 1 where id = 2; end;`,
  );
  await rebuild(place);
  expect(await place.database.query('select * from notes')).toEqual([]);
  await place.database.write({ text: 'update boxes set weight = 9 where id = 1', values: [] });
  expect(await place.database.query('select note from notes')).toEqual([{ note: '9' }]);
  await place.database.write({ text: 'delete from notes', values: [] });
  expect(await place.database.query('select weight from boxes where id = 2')).toEqual([{ weight: 7 }]);
});

it('an emptied table that counts its keys gives none of them again', async () => {
  const place = await create('sqlite', `${boxes} delete from boxes;`);
  await rebuild(place);
  await place.database.write({ text: 'insert into boxes (weight) values (1)', values: [] });
  expect(await place.database.query('select id from boxes')).toEqual([{ id: 3 }]);
  const counters = "select name from sqlite_sequence where name like '%boxes%'";
  expect(await place.database.query(counters)).toEqual([{ name: 'boxes' }]);
});
