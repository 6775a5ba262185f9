/**
 * Schemathesis calls every operation of the OpenAPI document, with values that fit it and values that do not: no answer is
 * a 5xx, and every answer is documented. `FUZZ_CALLS` sets the minimum number of calls (10 000).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../../runtime/observe.js';
import { startMuseum } from '../runtime/recorded/museum.js';
import type { TestServer } from '../runtime/server-harness.js';
import { installSchemathesis, runProgram } from './schemathesis.js';

const minCalls = Number(process.env.FUZZ_CALLS ?? 10_000);

/** What Schemathesis checks of every answer. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
].join();

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

const runSchemathesis = async (server: TestServer, token: string, seed: number): Promise<string> => {
  const { code, output } = await runProgram(program, [
    'run',
    `${server.url}/server/specs/oas`,
    '--header',
    `Authorization: Bearer ${token}`,
    '--checks',
    checks,
    '--phases',
    'fuzzing',
    '--max-examples',
    '20',
    '--seed',
    String(seed),
    '--continue-on-failure',
    '--no-shrink',
    '--no-color',
    '--suppress-health-check',
    'all',
    '--generation-database',
    'none',
    '--warnings',
    'off',
    '--report',
    'junit',
    '--report-junit-path',
    join(folder, 'report.xml'),
  ]);
  return code === 0 ? '' : `${output}\n${readFileSync(join(folder, 'report.xml'), 'utf8').slice(0, 2000)}`;
};

describe.each(['sqlite', 'mariadb'] as const)('on %s', (dialect) => {
  it.each(Object.entries(tokens))('every answer to the %s is documented and below 500', async (_, token) => {
    const server = await startMuseum(dialect);
    try {
      let [seed, findings] = [20_261_125, ''];
      while (findings === '' && summarize(server.observations).calls < minCalls)
        findings = await runSchemathesis(server, token, seed++);
      const { calls, failed } = summarize(server.observations);
      process.stdout.write(`${dialect}: ${calls} calls\n`);
      expect({ findings, failed }).toEqual({ findings: '', failed: [] });
    } finally {
      await server.close();
    }
  });
});
