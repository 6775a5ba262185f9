/** Measures the cost of counting: the shape `one` on a server with `ADMIN_PORT` and on one without, in turns. */
import { articlesRecipe } from './data.js';
import { startArticles } from './articles.js';
import type { BenchServer } from './databases.js';
import { measureShape, median } from './measure.js';
import type { BenchOptions } from './options.js';
import type { Finding } from './report.js';
import { reservePort } from '../services/ports.js';
import { createProject, startServer } from './servers.js';
import { shapes, type Shape } from './shapes.js';

/** The shape only reads. */
const reset = async (): Promise<void> => undefined;

export const measureMetricsCost = async (
  database: BenchServer,
  options: Pick<BenchOptions, 'rounds' | 'seconds' | 'connections'>,
): Promise<readonly Finding[]> => {
  const one = shapes.find(({ name }) => name === 'one') as Shape;
  // the floor is the same server without metrics, so that both are asked the same
  const shape: Shape = {
    ...one,
    draw(random) {
      const { server } = one.draw(random);
      return { floor: server, server };
    },
  };
  const floor = await startArticles(database);
  try {
    const project = await createProject(`${database.dialect}-articles`, database.url(articlesRecipe.name));
    const start = { workers: 1, probe: '/items/articles?limit=1', adminPort: await reservePort() };
    const server = await startServer(project, start);
    try {
      const { rounds } = await measureShape(
        shape,
        { floor, server },
        { ...options, target: null, databasePid: null, reset },
      );
      const ratios = rounds.map((round) => round.server.nodeMicros / round.floor.nodeMicros);
      return [
        {
          name: `${database.dialect} CPU with metrics ÷ without`,
          value: median(ratios),
          unit: '×',
          target: 1.02,
          atLeast: false,
          note: `shape one, ${rounds.length} rounds: ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')}`,
        },
      ];
    } finally {
      await server.stop();
    }
  } finally {
    await floor.stop();
  }
};
