/** Imports on several hosts that do not share the folder of files, without Temporal. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';
import { endOf, submit, type Submitted } from './transfers.js';

const [here, there] = (await Promise.all(
  ['here', 'there'].map((name) => mkdtemp(join(tmpdir(), `svc-files-${name}-`))),
)) as [string, string];

const importInto = (server: TestServer, id: number): Promise<Submitted> =>
  submit(server, '/items/entry/import', { as: 'admin', raw: `id\n${id}\n`, type: 'text/csv' });

describe.each(sampleDialects(import.meta.url))('imports of several hosts on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: 'create table entry (id int primary key);',
    // takes files, but runs nothing
    environment: { QUEUE_FILES_DIR: here, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  /** Runs an import on a host of its own, which takes over others before. */
  const importOn = async (environment: Readonly<Record<string, string>>, id: number) => {
    const host = await server().startAnother({ TEMPORAL_ADDRESS: '', ...environment });
    try {
      return await endOf(host, await importInto(host, id), 'admin');
    } finally {
      await host.close();
    }
  };
  const stateOf = async ({ id }: Submitted): Promise<unknown> => {
    const [row] = await server().database.query('select state from svc_requests where id = ?', [id]);
    return row?.state;
  };
  const abandon = async (id: number): Promise<Submitted> => {
    const submitted = await importInto(server(), id);
    await server().execute(`update svc_requests set state = 'admitted' where id = '${submitted.id}'`);
    return submitted;
  };

  it('are taken over by a host that has the file, not by another', async () => {
    const abandoned = await abandon(1);
    expect(await importOn({ QUEUE_FILES_DIR: there }, 2)).toMatchObject({ status: 200 });
    expect(await stateOf(abandoned)).toBe('admitted');
    await importOn({ QUEUE_FILES_DIR: here }, 3);
    expect(await endOf(server(), abandoned, 'admin')).toMatchObject({ status: 200, body: { imported: 1 } });
  });

  it('end with 410 on every host when their file has expired', async () => {
    const abandoned = await abandon(4);
    await importOn({ QUEUE_FILES_DIR: there, QUEUE_FILE_TTL: '1ms' }, 5);
    expect(await endOf(server(), abandoned, 'admin')).toMatchObject({ status: 410 });
  });
});
