/** Runs the slowest test files first, so that no worker runs one of them alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slowest first, as reported at the end of a run. */
const slowestFiles: readonly string[] = [
  'test/queue/schema-apply.test.ts',
  'test/runtime/schema/changes.test.ts',
  'test/runtime/metrics/alarms.test.ts',
  'test/docs/incident.test.ts',
  'test/runtime/supervisor.test.ts',
  'test/queue/operator-actions.test.ts',
  'test/runtime/property/property.test.ts',
  'test/queue/durability.test.ts',
  'test/runtime/property/interference.test.ts',
  'test/runtime/recorded/recorded.test.ts',
  'test/queue/pools.test.ts',
  'test/queue/operator.test.ts',
  'test/runtime/cli.test.ts',
  'test/runtime/recorded/schema.test.ts',
  'test/runtime/schema/load.test.ts',
  'test/queue/queue.test.ts',
  'test/runtime/graphql/parity.test.ts',
  'test/runtime/schema/hosts.test.ts',
  'test/runtime/schema/swap.test.ts',
  'test/queue/rolling.test.ts',
  'test/runtime/behaviour/export.test.ts',
  'test/queue/chaos.test.ts',
  'test/sdk/random.test.ts',
  'test/docs/blocks.test.ts',
  'test/sdk/programs.test.ts',
  'test/runtime/access-lease.test.ts',
  'test/runtime/refusals.test.ts',
  'test/runtime/watchdog.test.ts',
  'test/runtime/schema-check.test.ts',
  'test/queue/neighbours.test.ts',
  'test/generator/client/step.test.ts',
  'test/queue/receivers.test.ts',
  'test/runtime/behaviour/fuzz.test.ts',
  'test/runtime/auth/access-waits.test.ts',
  'test/queue/fairness.test.ts',
  'test/queue/operations.test.ts',
  'test/runtime/auth/sessions.test.ts',
  'test/runtime/bootstrap.test.ts',
  'test/runtime/columns/columns.test.ts',
  'test/sdk/queue.test.ts',
  'test/queue/graphql.test.ts',
  'test/queue/wire.test.ts',
  'test/queue/tls.test.ts',
  'test/generator/client/cases.test.ts',
  'test/runtime/auth/password-reset.test.ts',
  'test/runtime/proxy.test.ts',
  'test/runtime/behaviour/freshness.test.ts',
  'test/sdk/scale.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const index = slowestFiles.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index === -1 ? slowestFiles.length : index;
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right));
  }
}
