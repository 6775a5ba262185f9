/** Results and errors of function models, and how their processes end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../until.js';
import { createTestChildren, filesDir, startRun, testRequest, type RunGiven } from './run-once.js';

const children = createTestChildren();
afterAll(() => children.close());

const run = (name: string, given?: RunGiven) => startRun(children, name, given);
const bodyOf = async (name: string, given?: RunGiven) =>
  (await run(name, given).attempted).outcome.body as Record<string, unknown>;

const isGone = (process_: number): boolean => {
  try {
    process.kill(process_, 0);
    return false;
  } catch {
    return true;
  }
};

describe('a function model', () => {
  it('results in its return value, which runs in another process', async () => {
    const { good, process: child } = await bodyOf('good');
    expect([good, child === process.pid]).toEqual([true, false]);
    expect(await bodyOf('nothing')).toBe(null);
  });

  it('can respond with an error of its own', async () => {
    const { attempted, failures } = run('modelError', { input: { status: 499 } });
    const outcome = { status: 499, body: { detail: 'too dark' }, errorType: null };
    expect([await attempted, failures]).toEqual([{ outcome, retry: false }, []]);
    expect(await bodyOf('modelErrorAlone')).toEqual({ detail: 'The model refuses the request' });
  });

  it.each([
    ['fail', {}, 'a secret'],
    ['modelError', { status: 500 }, 'the model answers 500'],
    ['uncaught', {}, 'a late secret'],
    ['missing', {}, 'the module of the model test/missing does not export a function "run"'],
  ])('fails if it throws anything else: %s', async (name, input, message) => {
    const { attempted, failures } = run(name, { input });
    const { outcome, retry } = await attempted;
    expect(outcome).toMatchObject({ status: 500, errorType: 'runner_server_error' });
    expect([retry, JSON.stringify(outcome).includes('secret')]).toEqual([false, false]);
    expect(failures).toMatchObject([{ message, stack: expect.stringContaining('at ') }]);
  });

  it('is reported with the stacks of its causes, and with what it threw', async () => {
    const { attempted, failures } = run('inner');
    await attempted;
    expect(failures).toMatchObject([
      {
        stack: expect.stringMatching(
          /^Error: the outer error\n[^]*the first reason\n[^]*the second reason\n/,
        ),
      },
    ]);
    const thrown = run('thrownObject');
    await thrown.attempted;
    expect(thrown.failures).toMatchObject([{ message: "{ code: 'E_ODD' }" }]);
  });

  it('has in its log what does not fit the output schema', async () => {
    const output = { type: 'object', required: ['size'], properties: { good: { type: 'string' } } };
    const { attempted, lines } = run('good', { output });
    await attempted;
    expect(lines).toEqual([expect.stringMatching(/: size: field required; good: str type expected$/)]);
  });

  it('cannot reach its worker by messages of its own', async () => {
    expect(await bodyOf('signalReady')).toEqual({ good: true });
  });

  it('fails if its state cannot be kept', async () => {
    for (const [name, message] of [
      ['cycle', 'circular'],
      ['largeState', 'the maximum is 1000000'],
    ] as const) {
      const { attempted, failures } = run(name, { input: { count: 1_000_000 } });
      expect((await attempted).outcome.errorType).toBe('runner_server_error');
      expect(failures).toMatchObject([{ message: expect.stringContaining(message) }]);
    }
  });

  it('also logs what it prints', async () => {
    const { attempted, lines } = run('print');
    await attempted;
    expect(lines).toEqual([
      'STDOUT to stdout',
      'STDOUT in two lines',
      'STDERR to stderr',
      'STDOUT without an end',
    ]);
  });

  it('logs any value with a level that exists', async () => {
    const { attempted, lines } = run('logAnything');
    await attempted;
    expect(lines).toEqual(['WARN low', 'INFO loud', 'INFO { deep: { list: [ 1 ] } }']);
  });

  it('reports progress, and receives that of an earlier attempt', async () => {
    const first = run('resume');
    expect((await first.attempted).outcome.body).toEqual({ resumed: null });
    expect(first.progress).toEqual([{ step: 1 }]);
    expect(await bodyOf('resume', { resumed: { step: 1 } })).toEqual({ resumed: { step: 1 } });
  });

  it('stores files', async () => {
    const file = await bodyOf('save', { input: { text: 'aye' } });
    expect(file).toMatchObject({ content_type: 'text/plain', file_name: 'note.txt', file_size: 3 });
    expect(readFileSync(join(filesDir, testRequest, 'note.txt'), 'utf8')).toBe('aye');
  });

  it('cannot return more than is stored', async () => {
    const { attempted, lines } = run('large', { input: { count: 8_000_000 } });
    expect((await attempted).outcome.errorType).toBe('runner_incomplete_response');
    expect(lines).toEqual([expect.stringContaining('save larger output as files')]);
  });

  it('receives no secrets of svc, except those that it names', async () => {
    const secrets = {
      SECRET: 's',
      DATABASE_URL: 'd',
      EMAIL_SMTP_PASSWORD: 'e',
      TEMPORAL_API_KEY: 't',
      ADMIN_TOKEN: 'a',
      AUTH_TEST_CLIENT_SECRET: 'c',
      SOME_FILE: 'f',
    };
    Object.assign(process.env, secrets, { HARMLESS: 'h' });
    try {
      const { names: seen } = await bodyOf('environment');
      expect(seen).toContain('HARMLESS');
      expect((seen as string[]).filter((name) => name in secrets)).toEqual([]);
      const other = createTestChildren();
      const given = startRun(other, 'environment', { environment: ['DATABASE_URL', 'SOME_FILE'] });
      const { names } = (await given.attempted).outcome.body as { names: string[] };
      expect(names.filter((name) => name in secrets)).toEqual(['DATABASE_URL', 'SOME_FILE']);
      await other.close();
    } finally {
      for (const name of Object.keys(secrets)) delete process.env[name];
    }
  });
});

describe('a process of a function model', () => {
  it('is reused while it is healthy, also by a worker that reads late what it sends', async () => {
    // a busy machine must not make it look unhealthy
    const patient = createTestChildren({ settleLimit: 60_000 });
    const processOf = async (ms = 0): Promise<unknown> => {
      const running = startRun(patient, 'good', { input: { ms } }).attempted;
      if (ms > 0) {
        await until(() => patient.use().some((each) => each.running === 1));
        // until it has ended, and is ready for another
        for (const end = performance.now() + 5 * ms; performance.now() < end;);
      }
      return ((await running).outcome.body as { readonly process: number }).process;
    };
    const first = await processOf();
    expect([await processOf(200), await processOf()]).toEqual([first, first]);
    await patient.close();
  });

  it('is replaced if it blocks its event loop after a run', async () => {
    const first = await bodyOf('spinAfterwards');
    const second = await bodyOf('spinAfterwards');
    expect(second.process).not.toBe(first.process);
    await until(() => isGone(Number(first.process)) || null);
  });

  it.each([
    ['allocate', 'INFO allocating'],
    ['heap', expect.stringMatching(/^(STDERR|ERROR) /)],
    ['descendant', expect.stringMatching(/^ERROR /)],
  ])('ends at its limit of memory: %s', async (name, first) => {
    const { attempted, failures, lines } = run(name);
    const { outcome, retry } = await attempted;
    expect(outcome).toMatchObject({ status: 500, errorType: 'runner_out_of_memory' });
    const { detail } = outcome.body as { detail: string };
    expect(detail).toMatch(/^The model ran out of 384 MB of memory after [\d.]+ s$/);
    expect([retry, failures.length]).toEqual([false, 1]);
    expect([lines[0], lines.at(-1)]).toEqual([first, `ERROR ${detail}`]);
  });

  it.each([
    ['exit', /^The process of the model exited with code 3 after [\d.]+ m?s$/],
    ['crash', /^The process of the model crashed with SIGSEGV after [\d.]+ m?s$/],
  ])('that ends by itself is reported as what it was: %s', async (name, expected) => {
    const { attempted, failures } = run(name);
    const { outcome, retry } = await attempted;
    expect(outcome).toMatchObject({ status: 500, errorType: 'runner_server_error' });
    expect((outcome.body as { detail: string }).detail).toMatch(expected);
    expect([retry, failures.length]).toEqual([false, 1]);
  });

  it.each([
    ['spin', ['INFO one', 'INFO two']],
    ['ignore', []],
    ['obey', []],
  ])('ends at the timeout, also if the function is to %s', async (name, logged) => {
    const { attempted, failures, lines } = run(name, { timeout: 3_000 });
    const { outcome } = await attempted;
    expect(outcome).toMatchObject({ status: 504, errorType: 'request_timeout' });
    expect(outcome.body).toMatchObject({ detail: 'The model did not end within 3 s' });
    expect([failures, lines]).toEqual([[], logged]);
  });

  it('ends when its run is aborted, and the run rejects with the reason', async () => {
    const controller = new AbortController();
    const { attempted, lines } = run('spin', { signal: controller.signal });
    await until(() => lines.length > 0);
    controller.abort(new Error('drained'));
    await expect(attempted).rejects.toThrow('drained');
  });

  it('keeps the first and the last lines of a flood', async () => {
    const { attempted, lines, skipped } = run('talk');
    expect((await attempted).outcome.body).toEqual({ good: true });
    expect([lines[0], lines.at(-1)]).toEqual(['INFO line 1', 'INFO line 1000000']);
    expect(lines.length).toBeLessThan(50_000);
    expect(lines.length + skipped()).toBe(1_000_000);
  });
});
