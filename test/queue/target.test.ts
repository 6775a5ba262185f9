import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { decode, encode, type Packet } from 'dns-packet';
import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attempt } from '../../runtime/queue/webhooks/attempt.js';
import { createReceiverAgent, type Resolve } from '../../runtime/queue/webhooks/connector.js';
import { findTargetError, type TargetPolicy } from '../../runtime/queue/webhooks/target.js';

const strict: TargetPolicy = { allowed: [], http: true };

/** Hosts that lead, or may lead, to where only insiders belong; each in the notations that URLs allow. */
const innerHosts = `
  # this host, in every notation of IPv4
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001
  127.255.255.254 127.0.0.1. 0x7f.0x0.0x0.0x1 0177.0.0.01 １２７.0.0.1 127。0。0。1
  0.0.0.0 0 0x0 00.0 0.0.0.1 0.255.255.255 ①②⑦.0.0.1
  # private and shared networks
  10.0.0.0 10.0.0.1 10.255.255.255 10.1 0xa.1 012.0.0.1 167772161
  172.16.0.1 172.31.255.255 172.20.10.5 2886729729 0xac100001 172.16.1
  192.168.0.1 192.168.255.255 192.168.1 3232235521 0xc0a80001 0300.0250.0.1
  100.64.0.1 100.127.255.255 100.100.100.200
  # link-local, and where clouds keep their secrets
  169.254.0.1 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
  169.254.170.2 192.0.0.192 169.254.169.253 168.63.129.16.internal 169.254.169.123
  # reserved
  192.0.0.1 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
  192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295
  # IPv6
  [::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::0] [0:0:0:0:0:0:0:0]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:10.0.0.1]
  [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:8.8.8.8] [::ffff:192.168.0.1]
  [::127.0.0.1] [::10.0.0.1] [::a00:1] [::ffff:0:127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b::169.254.169.254] [64:ff9b:1::1]
  [2002:7f00:1::] [2002:a00:1::] [2002:c0a8:1::1] [2001::1] [2001:0:7f00:1::]
  [fe80::1] [fe80::a9fe:a9fe] [febf::1] [fec0::1] [fc00::1] [fd00::1] [fd00:ec2::254]
  [fdff:ffff::1] [ff02::1] [ff05::2] [ff0e::1] [100::1] [2001:db8::1] [3fff::1]
  [2001:10::1] [2001:20::1] [5f00::1] [2001:2::1] [fd20:ce::254]
  # names
  localhost LOCALHOST localhost. api.localhost x.y.localhost localhost.localdomain
  printer.local db.internal metadata.google.internal metadata.google.internal.
  intranet metadata router.lan nas.home dc.corp vault.private x.intranet a.home.arpa
  instance-data.ec2.internal kubernetes.default.svc.cluster.local host.docker.internal svc
`
  .split('\n')
  .filter((line) => !line.trim().startsWith('#'))
  .flatMap((line) => line.trim().split(' '))
  .filter((host) => host !== '');

const others = [
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://example.com@10.0.0.1/',
  'https://example.com/#part',
  'https://example.com:22/',
  'https://example.com:25/',
  'https://example.com:110/',
  'https://example.com:1023/',
  'https://example.com:99999/',
  'https://',
  'https://[::1',
  '//example.com/',
  'example.com',
  '',
  `https://example.com/${'a'.repeat(2048)}`,
];

const publicUrls = [
  'https://example.com/hook',
  'https://example.com:8443/hook?token=1',
  'https://sub.example.co.uk:1024/',
  'http://example.com:80/',
  'https://8.8.8.8/',
  'https://1.1.1.1:443/',
  'https://[2606:4700:4700::1111]/',
  'https://xn--bcher-kva.example/',
  'https://localhost.example.com/',
];

describe('webhook targets', () => {
  it('are rejected if they are not public', () => {
    const urls = [...innerHosts.map((host) => `https://${host}/`), ...others];
    expect(urls.length).toBeGreaterThanOrEqual(120);
    expect(urls.filter((url) => findTargetError(url, strict) === null)).toEqual([]);
  });

  it.each(publicUrls)('%s is allowed', (url) => {
    expect(findTargetError(url, strict)).toBeNull();
  });

  it('require https unless http is allowed', () => {
    expect(findTargetError('http://example.com/', { allowed: [], http: false })).toContain('https://');
  });

  it('can be in an allowed network only', () => {
    const policy = { allowed: ['127.0.0.0/8'], http: true };
    expect(findTargetError('http://127.0.0.1:8080/', policy)).toBeNull();
    expect(findTargetError('http://10.0.0.1:8080/', policy)).not.toBeNull();
    expect(findTargetError('http://[::ffff:127.0.0.1]:8080/', policy)).not.toBeNull();
  });
});

describe('connections to receivers', () => {
  const hits: string[] = [];
  const inner = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.end('secret');
  });
  const dns = createSocket('udp4');
  /** Answers of the DNS server by name, one for each question. */
  const answers = new Map<string, string[][]>();
  let resolve: Resolve;
  let port = 0;

  beforeAll(async () => {
    await new Promise<void>((done) => inner.listen(0, '127.0.0.1', done));
    port = (inner.address() as AddressInfo).port;
    dns.on('message', (message, { port: from, address }) => {
      dns.send(encode(answerTo(decode(message), answers)), from, address);
    });
    await new Promise<void>((done) => dns.bind(0, '127.0.0.1', done));
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${dns.address().port}`]);
    resolve = async (name) => (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }));
  });
  afterAll(() => {
    inner.close();
    dns.close();
  });

  beforeEach(() => {
    hits.length = 0;
  });

  const post = async (url: string, policy = strict, lookup = resolve) => {
    const agent = createReceiverAgent({ policy, resolve: lookup });
    const signal = AbortSignal.timeout(3_000);
    const result = await attempt({ url, headers: {}, body: Buffer.from('{}'), agent, signal });
    await agent.destroy();
    return result;
  };

  it('reach no internal address', async () => {
    const literals = innerHosts.filter((host) => /^[\d[0x]/.test(host) && URL.canParse(`http://${host}/`));
    for (const host of literals) {
      const result = await post(`http://${host}:${port}/literal`);
      expect([host, result.kind]).not.toEqual([host, 'accepted']);
    }
    expect(hits).toEqual([]);
  });

  it('are rejected if the name resolves to another address than at submission', async () => {
    answers.set('rebind.example.com', [['93.184.216.34'], ['127.0.0.1']]);
    expect((await resolve('rebind.example.com'))[0]?.address).toBe('93.184.216.34');
    expect(await post(`http://rebind.example.com:${port}/rebind`)).toMatchObject({
      kind: 'refused',
      error: 'blocked_address',
    });
    expect(hits).toEqual([]);
  });

  it('use the checked address, even if the name resolves to another one a moment later', async () => {
    // a second lookup between the check and the connection would find the other address
    const found = [['127.0.0.1'], ['127.0.0.2']];
    answers.set('race.example.com', found);
    const policy = { allowed: ['127.0.0.1/32'], http: true };
    expect(await post(`http://race.example.com:${port}/race`, policy)).toEqual({
      kind: 'accepted',
      status: 200,
    });
    expect(hits).toEqual(['/race']);
    expect(found).toEqual([['127.0.0.2']]);
  });

  it('reject a name if one of its addresses is internal', async () => {
    answers.set('mixed.example.com', [['93.184.216.34', '127.0.0.1']]);
    expect(await post(`http://mixed.example.com:${port}/mixed`)).toMatchObject({ error: 'blocked_address' });
    expect(hits).toEqual([]);
  });

  it('reject it regardless of the order of the addresses', async () => {
    const policy = { allowed: ['127.0.0.0/8'], http: true };
    for (const addresses of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      answers.set('some.example.com', [addresses]);
      expect(await post(`http://some.example.com:${port}/some`, policy)).toMatchObject({
        error: 'blocked_address',
      });
    }
    expect(hits).toEqual([]);
  });

  it('are closed if they lead elsewhere than to the address that was checked', async () => {
    const addresses = ['93.184.216.34', '127.0.0.1'];
    const shifting: Resolve = async () => [
      {
        family: 4,
        get address() {
          return addresses.length > 1 ? (addresses.shift() ?? '') : '127.0.0.1';
        },
      },
    ];
    expect(await post(`http://shifting.example.com:${port}/shifting`, strict, shifting)).toMatchObject({
      error: 'blocked_address',
    });
    expect(hits).toEqual([]);
  });

  it('reach an address in an allowed network', async () => {
    answers.set('inner.example.com', [['127.0.0.1']]);
    const policy = { allowed: ['127.0.0.0/8'], http: true };
    expect(await post(`http://inner.example.com:${port}/allowed`, policy)).toEqual({
      kind: 'accepted',
      status: 200,
    });
    expect(hits).toEqual(['/allowed']);
  });
});

/** The next answer of the name; the last one is repeated. */
const answerTo = (query: Packet, answers: Map<string, string[][]>): Packet => {
  const [question] = query.questions ?? [];
  const known = answers.get(question?.name ?? '') ?? [];
  const addresses = (known.length > 1 ? known.shift() : known[0]) ?? [];
  return {
    type: 'response',
    id: query.id ?? 0,
    questions: query.questions ?? [],
    answers: addresses.map((data) => ({ type: 'A' as const, name: question?.name ?? '', ttl: 0, data })),
  };
};
