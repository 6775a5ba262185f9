/**
 * Schemathesis calls every operation of the OpenAPI document, with values that fit it and values that do not: no answer is
 * a 5xx, and every answer is documented. `FUZZ_CALLS` sets the minimum number of calls for each caller (10 000).
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../runtime/observe.js';
import { dialects } from '../databases.js';
import { startMuseum } from '../runtime/recorded/museum.js';
import type { TestServer } from '../runtime/server-harness.js';
import { startSmtp } from '../services/smtp.js';
import { boundRequests } from './bounded-document.js';
import { installSchemathesis, runProgram } from './schemathesis.js';

const minCalls = Number(process.env.FUZZ_CALLS ?? 10_000);

/** Checks that Schemathesis runs on every response. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
].join();

/** Random requests of each operation. */
const examples = 3;
/** Paths whose every limit in the schemas is tried in one run. */
const pathsPerRun = 6;
/** Depth of relations in items and filters: deeper ones take the fuzzer minutes each. */
const depth = 1;

const tokens = { administrator: 'admin-token-0123456789abcdef', editor: 'editor-token-0123456789abcdef' };

let program: string;
let folder: string;
beforeAll(async () => {
  program = await installSchemathesis();
  folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Finished {
  readonly calls: number;
  /** Answers of 500 and above, by operation. */
  readonly failed: readonly string[];
}

const summarize = (observations: readonly Observation[]): Finished => {
  const finished = observations.filter((each) => each.kind === 'requestFinished');
  const failed = finished.filter(({ status }) => status >= 500);
  return {
    calls: finished.length,
    failed: failed.map(({ method, route, status }) => `${method} ${route} ${status}`),
  };
};

/** Writes the document that the caller gets to `path`, with bounded recursion. @returns its paths */
const writeDocument = async ({ url }: TestServer, token: string): Promise<readonly string[]> => {
  const response = await fetch(`${url}/server/specs/oas`, { headers: { authorization: `Bearer ${token}` } });
  const document = boundRequests((await response.json()) as Parameters<typeof boundRequests>[0], depth);
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  return Object.keys(document.paths as object);
};

interface Run {
  readonly token: string;
  readonly phases: 'fuzzing' | 'coverage';
  /** All when absent. */
  readonly paths?: readonly string[];
}

/** @returns what Schemathesis found, or an empty text */
const runSchemathesis = async (server: TestServer, { token, phases, paths = [] }: Run): Promise<string> => {
  const report = join(folder, 'report.xml');
  const { code, output } = await runProgram(program, [
    'run',
    join(folder, 'openapi.json'),
    '--url',
    server.url,
    ...paths.flatMap((path) => ['--include-path', path]),
    '--header',
    `Authorization: Bearer ${token}`,
    '--checks',
    checks,
    '--phases',
    phases,
    '--max-examples',
    String(examples),
    '--seed',
    '20261125',
    '--continue-on-failure',
    '--no-shrink',
    '--no-color',
    // seconds; a change of the schema is answered when it is served
    '--request-timeout',
    '120',
    '--suppress-health-check',
    'all',
    '--generation-database',
    'none',
    '--warnings',
    'off',
    '--report',
    'junit',
    '--report-junit-path',
    report,
  ]);
  return code === 0 ? '' : `${output}\n${readFileSync(report, 'utf8').slice(0, 2000)}`;
};

/** Runs random requests of all operations, then every limit of one path after another until there are enough calls. */
const fuzz = async (server: TestServer, token: string): Promise<string> => {
  const paths = [...(await writeDocument(server, token))];
  // far from each other, so that a small number of calls meets different kinds of paths
  paths.sort((a, b) => hash(a) - hash(b));
  let findings = await runSchemathesis(server, { token, phases: 'fuzzing' });
  while (findings === '' && paths.length > 0 && summarize(server.observations).calls < minCalls)
    findings = await runSchemathesis(server, {
      token,
      phases: 'coverage',
      paths: paths.splice(0, pathsPerRun),
    });
  return findings;
};

const hash = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE();

const smtp = await startSmtp();
afterAll(() => smtp.close());

describe.each(dialects)('on %s', (dialect) => {
  it.each(Object.entries(tokens))('every answer to the %s is documented and below 500', async (_, token) => {
    const server = await startMuseum(dialect, 'plain', smtp.environment);
    try {
      const findings = await fuzz(server, token);
      const { calls, failed } = summarize(server.observations);
      process.stdout.write(`${dialect}: ${calls} calls\n`);
      expect({ findings, failed }).toEqual({ findings: '', failed: [] });
      expect(calls).toBeGreaterThanOrEqual(minCalls);
    } finally {
      await server.close();
    }
  });
});
