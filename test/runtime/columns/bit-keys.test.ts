/** Keys with a BIT, which drivers return as bytes, on MySQL and MariaDB. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const sql = `
create table address (person int, main bit(1), city varchar(9), primary key (person, main));
insert into address values (1, b'1', 'Bonn'), (1, b'0', 'Ulm');`;

const main = (city: string) => ({ person: 1, main: true, city });

describe.each(['mariadb', 'mysql'] as const)('keys with a bit on %s', (dialect) => {
  const server = useServer({ dialect, sql });
  const send = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await server().request(method, `/items/address${path}`, {
      as: 'admin',
      ...(body !== undefined && { body }),
    });
    return { status, body: answer };
  };

  it('identify the item in paths, payloads and with on_conflict', async () => {
    expect(await send('GET', '/1,true')).toEqual({ status: 200, body: { data: main('Bonn') } });
    expect(await send('PATCH', '', [main('Kiel')])).toEqual({ status: 200, body: { data: [main('Kiel')] } });
    const second = { person: 2, main: false, city: 'Trier' };
    expect(await send('POST', '?on_conflict=update', [main('Jena'), second])).toEqual({
      status: 200,
      body: { meta: { outcomes: ['updated', 'created'] }, data: [main('Jena'), second] },
    });
    expect(await send('POST', '?on_conflict=ignore', main('Rom'))).toEqual({
      status: 200,
      body: { meta: { outcomes: ['ignored'] }, data: main('Jena') },
    });
    expect((await send('DELETE', '', ['1,false', '2,false'])).status).toBe(204);
    expect((await send('GET', '')).body).toEqual({ data: [main('Jena')] });
  });
});
