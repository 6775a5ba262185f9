/** Two hosts' worth of processes on one database, each of which can be stopped, blocked or made to collect garbage. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { packageRoot } from '../../../runtime/config/package.js';
import { createWorkplace, isBuilding, type Running, type Workplace } from '../commands.js';

export interface LeaseHosts {
  /** One for each listener. */
  readonly urls: readonly string[];
  /** Ways to keep a process from running for so many milliseconds. */
  readonly faults: readonly ((milliseconds: number) => Promise<void>)[];
  stop(): Promise<void>;
}

/** Closes its idle connections long before a server does, which would reset a request that is on its way. */
const agent = new Agent({ keepAliveMaxTimeout: 4_000 });

/** Sends a request to one of the hosts. */
export const fetchFromHost = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, dispatcher: agent });

/** An application that mounts the API beside paths that block its event loop. */
const application = `
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApi } from '@svc-api/svc';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const kept = Array.from({ length: 200_000 }, (_, index) => ({ index }));
const turns = { block: () => {}, gc: () => collect() };

const api = await createApi();
const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  const [, area, kind, milliseconds] = request.url.split('/');
  if (area !== 'fault') return api.handler(request, response);
  const end = performance.now() + Number(milliseconds);
  while (performance.now() < end) turns[kind]();
  response.end(String(kept.length));
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port + '/items'));
`;

const ready = /(http:\/\/127\.0\.0\.1:\d+)\/items/;

/** Starts a host with the supervisor and two request processes, and one with two applications. */
export const startLeaseHosts = async (environment: Readonly<Record<string, string>>): Promise<LeaseHosts> => {
  const places = [createWorkplace(), createWorkplace()] as const;
  const running: Running[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((each) => each.stop('SIGKILL')));
    places.forEach((place) => place.remove());
  };
  try {
    install(places[1]);
    const supervised = places[0].start(['start', '--workers', '2'], { ...environment, PORT: '0' });
    running.push(supervised);
    const urls = [await urlOf(supervised)];
    // the first builds, the second finds the build
    for (const each of [1, 2]) {
      const alone = places[1].startProgram('application.mjs', environment);
      running.push(alone);
      urls[each] = await urlOf(alone);
    }
    const pids = [...childrenOf(supervised.pid), ...running.slice(1).map(({ pid }) => pid)];
    const paused = pids.map((pid) => (milliseconds: number) => pause(pid, milliseconds));
    const blocked = urls.slice(1).flatMap((url) =>
      ['block', 'gc'].map((kind) => async (milliseconds: number) => {
        await fetchFromHost(`${url}/fault/${kind}/${milliseconds}`);
      }),
    );
    return { urls, faults: [...paused, ...blocked], stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Links the package as `npm install` would. */
const install = ({ directory }: Workplace): void => {
  const scope = join(directory, 'node_modules', '@svc-api');
  mkdirSync(scope, { recursive: true });
  symlinkSync(packageRoot, join(scope, 'svc'));
  writeFileSync(join(directory, 'application.mjs'), application);
};

const urlOf = async (running: Running): Promise<string> => (await running.until(ready))[1] ?? '';

/** Request processes of a supervisor, without the one that makes builds. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter((child) => !isBuilding(child));

const pause = async (pid: number, milliseconds: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  await sleep(milliseconds);
  process.kill(pid, 'SIGCONT');
};
