/** Without a supervisor, modules of former builds stay in memory: from the 20th on, each new build says that a restart frees it. */
import { expect, it } from 'vitest';
import type { Observation } from '../../runtime/observe.js';
import { createBuildSource, type SourceOptions } from '../../runtime/processes/build-source.js';

/** A build that is another one with each change, of a schema that changes when a test says so. */
const createChanging = () => {
  let version = 0;
  const opened = {
    directory: 'build-0',
    generation: 0,
    schema: {
      check: async () => ({ directory: `build-${version}`, generation: version, failure: null }),
      failure: () => null,
    },
    load: async () => ({}),
  } as unknown as SourceOptions['opened'];
  return { opened, change: () => (version += 1) };
};

it('suggests a restart from the 20th build on, with their number, and not when a check finds nothing new', async () => {
  const { opened, change } = createChanging();
  const observations: Observation[] = [];
  const observe = (observation: Observation): void => void observations.push(observation);
  const source = createBuildSource({ opened, interval: 0, observe });
  for (let count = 1; count < 20; count += 1) {
    change();
    await source.check(false);
  }
  for (let count = 0; count < 5; count += 1) await source.check(true);
  expect(observations).toEqual([]);

  for (const count of [20, 21]) {
    change();
    await source.check(false);
    const message = `the schema was reloaded ${count} times; a restart frees the memory of former builds`;
    expect(observations.at(-1)).toEqual({ kind: 'warning', message });
    expect(observations).toHaveLength(count - 19);
  }
  await source.close();
});
