/** The API inside of somebody's application: the program of `docs/embedding.md`, as it stands there. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { reservePort } from '../services/ports.js';
import { startSmtp } from '../services/smtp.js';
import { until } from '../until.js';
import { createTestDatabase } from '../databases.js';
import { createWorkplace, type Workplace } from './commands.js';

const programOf = (page: string): string => {
  const [, program] = /```js\n(import express[^]*?)```/.exec(page) ?? [];
  if (program === undefined) throw new Error('the page shows no application');
  return program;
};

/** Links the package as `npm install` would. */
const install = ({ directory }: Workplace): void => {
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '@svc-api'), { recursive: true });
  symlinkSync(packageRoot, join(modules, '@svc-api', 'svc'));
  symlinkSync(join(packageRoot, 'node_modules', 'express'), join(modules, 'express'));
};

it('serves below a path of an Express application and closes with it', async () => {
  const place = createWorkplace({ sharesBuilds: false });
  try {
    install(place);
    expect(await place.run(['bootstrap'], { ADMIN_TOKEN: 'administrator' })).toMatchObject({ code: 0 });
    const port = String(await reservePort());
    const program = programOf(readFileSync(join(packageRoot, 'docs', 'embedding.md'), 'utf8'));
    writeFileSync(join(place.directory, 'application.mjs'), program.replaceAll('3000', port));
    const running = place.startProgram('application.mjs', { LOG_STYLE: 'json' });
    await running.until(/"name":"load"/);
    const get = (path: string, headers = {}): Promise<Response> =>
      until(() => fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => null), {
        what: `an answer to ${path}`,
      });
    const ping = await get('/content/server/ping');
    expect(await ping.text()).toBe('pong');
    const authorization = 'Bearer administrator';
    const me = await get('/content/users/me?fields=email', { authorization });
    expect(await me.json()).toEqual({ data: { email: 'admin@example.com' } });
    const roles = await get('/content/roles?fields=name', { authorization });
    expect(await roles.json()).toMatchObject({ data: expect.any(Array) });
    expect((await get('/content/items/svc_users', { authorization })).status).toBe(403);
    expect((await get('/elsewhere')).status).toBe(404);
    expect(await running.stop('SIGTERM')).toBe(0);
    expect(place.processes()).toEqual([]);
  } finally {
    place.remove();
  }
});

it('closes after the work that its responses did not wait for', async () => {
  const place = createWorkplace({ sharesBuilds: false });
  const smtp = await startSmtp();
  try {
    install(place);
    expect(await place.run(['bootstrap'])).toMatchObject({ code: 0 });
    const page = 'https://shop.example/new-password';
    const program = [
      "import express from 'express';",
      "import { createApi } from '@svc-api/svc';",
      'const api = await createApi();',
      "const server = express().use(api.handler).listen(0, '127.0.0.1');",
      "server.once('listening', async () => {",
      '  const response = await fetch(`http://127.0.0.1:${server.address().port}/auth/password/request`, {',
      "    method: 'POST',",
      "    headers: { 'Content-Type': 'application/json', Connection: 'close' },",
      `    body: JSON.stringify({ email: 'admin@example.com', reset_url: '${page}' }),`,
      '  });',
      '  console.log(`answered ${response.status}`);',
      '  await api.close();',
      '  process.exit();',
      '});',
    ];
    writeFileSync(join(place.directory, 'application.mjs'), program.join('\n'));
    const running = place.startProgram('application.mjs', {
      ...smtp.environment,
      PASSWORD_RESET_URL_ALLOW_LIST: page,
    });
    expect(await running.ended()).toBe(0);
    expect(running.output()).toContain('answered 204');
    expect(smtp.waiting()).toEqual(['admin@example.com']);
  } finally {
    await smtp.close();
    place.remove();
  }
});

it('closes everything if the build cannot be served', async () => {
  const place = createWorkplace({ sharesBuilds: false });
  const { url, drop } = await createTestDatabase('mariadb');
  try {
    install(place);
    const program = [
      "import { createApi } from '@svc-api/svc';",
      'await createApi().then((api) => api.close(), (error) => console.log(`refused: ${error}`));',
    ];
    writeFileSync(join(place.directory, 'application.mjs'), program.join('\n'));
    const run = async (): Promise<string> => {
      const running = place.startProgram('application.mjs', { DATABASE_URL: url, LOG_LEVEL: 'warn' });
      expect(await running.ended()).toBe(0);
      return running.output();
    };
    expect(await place.run(['bootstrap'], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    expect(await run()).not.toContain('refused');
    const builds = join(place.directory, '.svc', 'build');
    const [build = ''] = readdirSync(builds);
    writeFileSync(join(builds, build, 'server.mjs'), 'export const collections = [{}], queueModels = [];');
    expect(await run()).toContain('refused');
  } finally {
    place.remove();
    await drop();
  }
});
