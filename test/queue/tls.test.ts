/** Another Temporal server: other address, other namespace, TLS with certificates of both sides, by environment alone. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, expect, inject, it } from 'vitest';
import { createWorkplace } from '../runtime/commands.js';
import { copySystemTables } from '../runtime/harness/bootstrapped.js';
import { reservePort } from '../services/ports.js';
import { createNamespace } from './namespaces.js';
import { until } from '../until.js';

const place = createWorkplace();
afterAll(() => place.remove());

const file = (name: string): string => join(place.directory, name);

const openssl = (command: string): void => {
  execFileSync('openssl', command.split(' '), { cwd: place.directory, stdio: 'ignore' });
};

/** An authority, and certificates by it for the server and for its clients. */
const createCertificates = (): void => {
  const key = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`${key} -x509 -days 1 -subj /CN=authority -keyout ca.key -out ca.pem`);
  for (const name of ['server', 'client']) {
    const subject = `-subj /CN=${name} -addext subjectAltName=DNS:temporal.internal`;
    openssl(`${key} ${subject} -keyout ${name}.key -out ${name}.csr`);
    openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -days 1 -copy_extensions copy -out ${name}.pem`,
    );
  }
};

/** A TLS proxy in front of a cluster, which closes connections without a client certificate. */
const startProxy = async (address: string) => {
  const [host = '', port = ''] = address.split(':');
  let connections = 0;
  const proxy = createServer(
    {
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.pem')),
      ca: readFileSync(file('ca.pem')),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      connections += 1;
      const inner = connect(Number(port), host);
      socket.pipe(inner).pipe(socket);
      for (const end of [socket, inner])
        end.on('error', () => [socket, inner].forEach((each) => each.destroy()));
    },
  );
  proxy.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    count: () => connections,
    close: () => proxy.close(),
  };
};

it('serves its queue over TLS', async () => {
  createCertificates();
  const proxy = await startProxy(inject('services').temporal);
  const environment = {
    PORT: '0',
    TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}`,
    TEMPORAL_NAMESPACE: await createNamespace(),
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key'),
  };
  const adminPort = await reservePort();
  await copySystemTables(place);
  const key = (await place.run(['keys', 'create', '--user', 'admin@example.com'])).stdout.trim();
  const api = place.start(['start', '--workers', '1'], {
    ...environment,
    ADMIN_PORT: String(adminPort),
  });
  const url = (await api.until(/items (http:\/\/127\.0\.0\.1:\d+)\/items/))[1] ?? '';
  const worker = place.start(['worker'], { ...environment, PUBLIC_URL: url });
  await worker.until(/workers started: /);
  const headers = { authorization: `Key ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: 'sea', width: 16, height: 16 });
  const answer = await fetch(`${url}/queue/demo/image`, { method: 'POST', headers, body });
  const { response_url: result } = (await answer.json()) as { response_url: string };
  const ended = await until(async () => {
    const { status } = await fetch(result, { headers });
    return status === 400 ? null : status;
  });
  expect(ended).toBe(200);
  // the API has one of its own
  expect(proxy.count()).toBeGreaterThan(1);
  expect(api.output()).not.toContain('queue: ');
  const health = await fetch(`http://127.0.0.1:${adminPort}/health`);
  expect(await health.json()).toMatchObject({ parts: { queue: { status: 'ok' } } });
  await Promise.all([worker.stop('SIGTERM'), api.stop('SIGTERM')]);
  proxy.close();
});
