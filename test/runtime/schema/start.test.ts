/** A start ends what a killed process has left: an apply that was cut off, and the scratch table of an explanation. */
import { afterEach, describe, expect, it } from 'vitest';
import { lastApplies, queueApply } from '../../../runtime/schema/apply/applies.js';
import { copyField, edited, field, tinyScript } from './edits.js';
import { usePlaces, type Place } from './places.js';
import { removeHosts, startHost } from './running-host.js';

const create = usePlaces();

afterEach(removeHosts);

const scratch = 'create table svc_scratch_copy (id integer not null primary key);';

/** An apply of a new field, whose process ended before the first statement. */
const cutOff = async ({ snapshot, diff, database, execute }: Place): Promise<void> => {
  const wanted = edited(await snapshot(), (each) => {
    each.fields.push(copyField(field(each, 'shelves', 'depth'), 'height', { is_nullable: true }));
  });
  const difference = await diff(wanted);
  if (difference === null) throw new Error('there is no difference');
  await queueApply(database, { ...difference, wanted, acceptLoss: false, user: null });
  await execute("update svc_schema_applies set state = 'running'");
};

describe.each(['mariadb', 'mysql', 'postgres', 'sqlite'] as const)('on %s', (dialect) => {
  const isWhole = ['postgres', 'sqlite'].includes(dialect);

  it('an apply that was cut off is completed, or nothing of it has changed', async () => {
    const place = await create(dialect, tinyScript(dialect) + (isWhole ? '' : scratch));
    await cutOff(place);
    const host = await startHost(place, { workers: 1 });
    expect((await host.request('/items/shelves?fields=height')).status).toBe(isWhole ? 403 : 200);
    expect(await lastApplies(place.database, 1)).toMatchObject([{ state: isWhole ? 'failed' : 'done' }]);
    const left = isWhole ? [] : await place.database.query("show tables like 'svc\\_scratch%'");
    expect(left).toEqual([]);
    expect(await host.running.stop('SIGTERM')).toBe(0);
  });
});

it('a start serves the schema as it is, and names what others have changed since the apply was cut off', async () => {
  const place = await create('mariadb', tinyScript('mariadb'));
  await cutOff(place);
  await place.execute('create index theirs on shelves (depth)');
  const host = await startHost(place, { workers: 1 });
  await host.running.until(/was cut off: .*changed by others.*theirs.*shelves.*abandon/);
  expect((await host.request('/items/shelves')).status).toBe(200);
  expect(await lastApplies(place.database, 1)).toMatchObject([{ state: 'running' }]);
  expect(await host.running.stop('SIGTERM')).toBe(0);
});
