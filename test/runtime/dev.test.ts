/** `svc dev`, as a user tries it: a new model, a webhook that is printed, a change that is served after it is saved. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { createNamespace } from '../queue/namespaces.js';
import { reservePort } from '../services/ports.js';
import { until } from '../until.js';
import { createBootstrapped } from './harness/bootstrapped.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

it('reloads a model on save, and prints its webhooks', async () => {
  const place = await createBootstrapped();
  ends.push(place.remove);
  const port = await reservePort();
  const environment = {
    TEMPORAL_ADDRESS: inject('services').temporal,
    TEMPORAL_NAMESPACE: await createNamespace(),
    PORT: String(port),
  };
  expect((await place.run(['model', 'new', 'acme/shout'])).code).toBe(0);
  mkdirSync(join(place.directory, 'spec'), { recursive: true });
  const key = (await place.run(['keys', 'create', '--user', 'admin@example.com'])).stdout.trim();
  const dev = place.start(['dev'], environment);
  ends.push(() => dev.stop('SIGTERM'));
  const [, receiver = ''] = await dev.until(/svc_webhook=(\S+)\/ to/);
  const submit = () =>
    fetch(`http://127.0.0.1:${port}/queue/acme/shout?svc_webhook=${receiver}/here`, {
      method: 'POST',
      headers: { authorization: `Key ${key}`, 'content-type': 'application/json' },
      body: '{"text":"land ahoy"}',
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(submit);
  await dev.until(/webhook \/here {2}\S+\n[^]*"text": "land ahoy"/);
  const file = join(place.directory, 'models', 'shout.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace('return { text }', 'return { text: `${text}!` }'));
  await dev.until(/models\/shout\.ts changed: reloading/);
  // processes of the former version may answer until they end
  await until(async () => (await submit()) && /"text": "land ahoy!"/.test(dev.output()), { interval: 500 });
  const saveFault = () =>
    writeFileSync(join(place.directory, 'spec', 'models', 'acme.shout.yaml'), 'title: 1\n');
  saveFault();
  await dev.until(/acme\.shout\.yaml changed: reloading[^]*"description" is missing/);
  // the same text, which the second process may read only now
  saveFault();
  const [, once = ''] = await dev.until(/yaml changed: reloading([^]*)acme\.shout\.yaml changed: reloading/);
  expect(once.match(/"description" is missing/g)).toHaveLength(1);
  await dev.until(/svc worker ended with exit code 1; it starts again with the next change/);
}, 240_000);
