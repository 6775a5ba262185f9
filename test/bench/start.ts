/** Measures the time of a start and the memory of idle processes, with a project of twenty collections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readChildren, readMemory } from './cpu.js';
import type { BenchServer } from './databases.js';
import { median } from './measure.js';
import type { Finding } from './report.js';
import { prepareProject, runCli, startServer, type Project } from './servers.js';
import { tableName, tablesRecipe } from './tables.js';

const collections = 20;
const probe = `/items/${tableName(1)}?limit=1`;
const starts = 5;

/** Prepares a project with everything that a first start makes: system tables and build. */
const startFirst = async (database: BenchServer): Promise<Project> => {
  const project = await prepareProject(database, tablesRecipe(collections), 'start');
  await runCli(project, ['bootstrap']);
  const first = await startServer(project, { workers: 1, probe });
  await first.stop();
  return project;
};

export const measureStart = async (database: BenchServer): Promise<Finding[]> => {
  const project = await startFirst(database);
  const seconds: number[] = [];
  for (let index = 0; index < starts; index += 1) {
    const running = await startServer(project, { workers: 1, probe });
    seconds.push(running.msToFirstAnswer / 1000);
    await running.stop();
  }
  return [
    {
      name: `${database.dialect} start`,
      value: median(seconds),
      unit: 's',
      target: 0.7,
      atLeast: false,
      note:
        `spawn → first 200, ${collections} collections, build at hand, ` +
        `${starts} starts: ${Math.min(...seconds).toFixed(2)}–${Math.max(...seconds).toFixed(2)}`,
    },
  ];
};

const requestsBefore = 50;
const idleMilliseconds = 5_000;

export const measureMemory = async (database: BenchServer): Promise<Finding[]> => {
  const project = await startFirst(database);
  const running = await startServer(project, { workers: 2, probe });
  try {
    for (let index = 0; index < requestsBefore; index += 1) await touch(running.target);
    await sleep(idleMilliseconds);
    const processes = readChildren(running.pid).map(readMemory);
    return [
      {
        name: `${database.dialect} request process`,
        value: Math.max(...processes),
        unit: 'MB',
        target: 120,
        atLeast: false,
        note: `resident, idle after ${requestsBefore} requests; the larger of ${processes.length}`,
      },
      {
        name: `${database.dialect} supervisor`,
        value: readMemory(running.pid),
        unit: 'MB',
        target: 50,
        atLeast: false,
        note: 'resident, idle',
      },
    ];
  } finally {
    await running.stop();
  }
};

const touch = async ({ origin, headers }: { origin: string; headers: Readonly<Record<string, string>> }) => {
  // A new connection each time, so that every process gets its share.
  const response = await fetch(`${origin}${probe}`, { headers: { ...headers, Connection: 'close' } });
  await response.arrayBuffer();
};
