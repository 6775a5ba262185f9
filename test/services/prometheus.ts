/** Finds the programs of Prometheus, or downloads them, and starts its server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';
import { requireUnpacked } from './debian-packages.js';
import { reservePort } from './ports.js';
import { findProgram } from './programs.js';

/**
 * Returns a program on the PATH, or the one of Debian's package `prometheus`, which is unpacked and not installed.
 * @throws Error with the command that installs it
 */
export const findPrometheus = async (name: 'prometheus' | 'promtool'): Promise<string> =>
  (await findProgram(name)) ?? requireUnpacked(['prometheus'], `usr/bin/${name}`);

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Unix time in seconds, and the value as a text. */
  readonly value: readonly [number, string];
}

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

export interface Prometheus {
  readonly url: string;
  /** Evaluates an expression now. @throws Error with the message of Prometheus */
  query(expression: string): Promise<readonly Series[]>;
  /** Resolves when every target has been scraped once more. */
  scraped(): Promise<void>;
  /** Returns the alerts that are pending or firing. */
  alerts(): Promise<readonly Alert[]>;
  close(): Promise<void>;
}

/** Returns the alerting rules of `docs/operations` as they are, except that nobody waits for minutes. */
export const impatientRules = (): string =>
  readFileSync(join(process.cwd(), 'docs', 'operations', 'alerts.yml'), 'utf8')
    .replaceAll(/^ +for: \d+m\n/gm, '')
    .replaceAll(/\[(5|10|15)m\]/g, '[20s]')
    // the queue is swept each ten seconds
    .replaceAll('> 300', '> 15');

/**
 * @param ports of 127.0.0.1, scraped as the job `svc`; `rules` is the text of a file of rules; `interval` are the seconds
 * between two scrapes, and the most that one may take
 */
export const startPrometheus = async (
  ports: readonly number[],
  rules = 'groups: []',
  interval = 1,
): Promise<Prometheus> => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-prometheus-'));
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  const configuration = {
    global: { scrape_interval: `${interval}s`, evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'svc', static_configs: [{ targets }] }],
  };
  // every JSON text is YAML
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(configuration));
  writeFileSync(join(directory, 'rules.yml'), rules);
  const port = await reservePort();
  const child = spawn(
    await findPrometheus('prometheus'),
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/${path}`);
    const body = (await answer.json()) as { readonly data?: unknown; readonly error?: string };
    if (!answer.ok) throw new Error(`Prometheus: ${body.error}`);
    return body.data;
  };
  const query = async (expression: string): Promise<readonly Series[]> => {
    const data = await get(`api/v1/query?${new URLSearchParams({ query: expression })}`);
    return (data as { readonly result: readonly Series[] }).result;
  };
  // it takes up to five seconds until it scrapes
  await until(
    () =>
      query('up == 1').then(
        (up) => up.length === ports.length,
        () => false,
      ),
    { what: 'Prometheus scrapes' },
  );
  return {
    url: `http://127.0.0.1:${port}`,
    query,
    async scraped() {
      const now = Date.now() / 1_000;
      await until(async () => Number((await query('min(timestamp(up))'))[0]?.value[1]) > now, {
        what: 'Prometheus scrapes',
        interval: 100,
      });
    },
    alerts: async () => ((await get('api/v1/alerts')) as { readonly alerts: readonly Alert[] }).alerts,
    async close() {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
