/** Both listeners answer the recorded cases byte for byte alike: so other tests need only one of them for a database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopClock } from '../harness/clock.js';
import type { Answer, TestServer } from '../server-harness.js';
import { groups, readCases, replayCase } from './cases.js';
import type { Bindings } from './compare.js';
import { restoreMuseum, startMuseum } from './museum.js';

/** Values that are made anew each time, and addresses. */
const random: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  [/[A-Z2-7]{32}/g, '<secret>'],
  [/[\w-]{43,}/g, '<token>'],
];

/** A time of this run; those of the museum are kept. */
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

const toComparable = (text: string, url: string): string => {
  const withoutUrl = text.replaceAll(url, '<url>').replaceAll(new URL(url).host, '<host>');
  const withoutRandom = random.reduce((all, [pattern, name]) => all.replaceAll(pattern, name), withoutUrl);
  return withoutRandom.replaceAll(times, (time) =>
    Math.abs(Date.parse(time) - Date.now()) < 3_600_000 ? '<now>' : time,
  );
};

/** Headers that differ for every response or come from the embedding application. */
const ownHeaders = new Set(['date', 'x-request-id', 'keep-alive', 'x-powered-by']);

/** Headers that follow from bytes which may differ. */
const byteHeaders = new Set(['content-length', 'etag']);

const comparable = ({ status, headers, text }: Answer, { url }: TestServer) => {
  const content = toComparable(text, url);
  const isFixed = content === text;
  const lines = [...headers].filter(([name]) => !ownHeaders.has(name) && (isFixed || !byteHeaders.has(name)));
  return { status, headers: lines.map(([name, value]) => `${name}: ${toComparable(value, url)}`), content };
};

describe('both listeners return equal responses', () => {
  let servers: readonly TestServer[] = [];
  const restore = () => Promise.all(servers.map(restoreMuseum));
  stopClock();
  beforeAll(async () => {
    servers = [await startMuseum('sqlite', 'plain'), await startMuseum('sqlite', 'express')];
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  // a case reads what those before it wrote
  for (const group of groups)
    describe(`${group}`, { shuffle: false }, () => {
      const bindings: readonly Bindings[] = [new Map(), new Map()];
      beforeAll(restore);

      for (const recorded of readCases(group)) {
        it(`${recorded.name}`, async () => {
          if (recorded.restore === true) await restore();
          const answers = [];
          for (const [index, server] of servers.entries()) {
            const { answer } = await replayCase(recorded, server, bindings[index] ?? new Map());
            answers.push(comparable(answer, server));
          }
          expect(answers[1]).toEqual(answers[0]);
        });
      }
    });
});
