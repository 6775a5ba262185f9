/**
 * What a request costs a server with 1 000 collections beside one with 20, which is the floor: as much where both are asked for the
 * same collections. Where all are asked for evenly, their statements are more than a connection keeps prepared.
 */
import type { BenchServer } from './databases.js';
import type { BenchRequest } from './load.js';
import { measureShape, median } from './measure.js';
import type { BenchOptions } from './options.js';
import type { Random } from './random.js';
import type { Finding } from './report.js';
import { prepareProject, runCli, startServer, type Started } from './servers.js';
import type { Shape } from './shapes.js';
import { tableName, tablesRecipe } from './tables.js';

const sizes = { floor: 20, server: 1000 } as const;

interface Measured {
  readonly name: string;
  /** Collections that the larger server is asked for. */
  readonly used: number;
  readonly target: number | null;
  readonly pathOf: (collection: string) => string;
}

const one = (collection: string): string => `/items/${collection}/1`;
const list = (collection: string): string => `/items/${collection}?sort=-name&limit=25`;

const measured: readonly Measured[] = [
  { name: 'one', used: sizes.floor, target: 1.05, pathOf: one },
  { name: 'list', used: sizes.floor, target: 1.05, pathOf: list },
  { name: 'one', used: sizes.server, target: null, pathOf: one },
  { name: 'list', used: sizes.server, target: null, pathOf: list },
];

/** Both only read. */
const reset = async (): Promise<void> => undefined;

export const measureManyCollections = async (
  database: BenchServer,
  options: Pick<BenchOptions, 'rounds' | 'seconds' | 'connections'>,
): Promise<readonly Finding[]> => {
  const floor = await startTables(database, sizes.floor);
  try {
    const server = await startTables(database, sizes.server);
    try {
      const findings: Finding[] = [];
      for (const each of measured) {
        const running = { floor, server };
        const { rounds } = await measureShape(toShape(each), running, {
          ...options,
          databasePid: null,
          target: null,
          reset,
        });
        const ratios = rounds.map((round) => round.server.nodeMicros / round.floor.nodeMicros);
        findings.push(toFinding(each, database, ratios));
      }
      return findings;
    } finally {
      await server.stop();
    }
  } finally {
    await floor.stop();
  }
};

const startTables = async (database: BenchServer, count: number): Promise<Started> => {
  const project = await prepareProject(database, tablesRecipe(count), `collections-${count}`);
  await runCli(project, ['bootstrap']);
  return startServer(project, { workers: 1, probe: `/items/${tableName(1)}?limit=1` });
};

const toShape = ({ name, used, pathOf }: Measured): Shape => {
  const draw = (random: Random, count: number): BenchRequest => ({
    method: 'GET',
    path: pathOf(tableName(1 + random(count))),
  });
  return {
    name,
    title: name,
    // the ratio of processor times is judged, not that of requests
    target: 0,
    draw: (random) => ({ floor: draw(random, sizes.floor), server: draw(random, used) }),
  };
};

const toFinding = (
  { name, used, target }: Measured,
  { dialect }: BenchServer,
  ratios: readonly number[],
): Finding => ({
  name: `${dialect} CPU of ${name}, ${sizes.server} ÷ ${sizes.floor} collections, ${used} used`,
  value: median(ratios),
  unit: '×',
  target,
  atLeast: false,
  note: `${ratios.length} rounds: ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')}`,
});
