/**
 * Runs the slowest test files first, so that no worker runs one of them alone at the end: those that wait for most of their
 * time beside those that compute, so that the processors have work.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slowest first, as reported at the end of a run, where "computed" and "its processes" are less than half of the time. */
const waiting: readonly string[] = [
  'test/runtime/metrics/alarms.test.ts',
  'test/docs/blocks.test.ts',
  'test/runtime/schema/hosts.test.ts',
  'test/queue/durability.test.ts',
  'test/docs/schema-change.test.ts',
  'test/queue/schema-apply.test.ts',
  'test/queue/operator-actions.test.ts',
  'test/runtime/package.test.ts',
  'test/queue/pools.test.ts',
  'test/runtime/schema/killed.test.ts',
  'test/runtime/metrics/prometheus.test.ts',
  'test/queue/killed-import.test.ts',
  'test/runtime/schema/vendors.test.ts',
  'test/runtime/watchdog.test.ts',
  'test/queue/operator-page.test.ts',
  'test/runtime/transfers/interrupted.test.ts',
  'test/runtime/schema/undescribed.test.ts',
  'test/queue/chaos.test.ts',
  'test/queue/receivers.test.ts',
  'test/runtime/schema/load.test.ts',
  'test/docs/incident.test.ts',
  'test/runtime/auth/password-reset.test.ts',
  'test/runtime/schema/trigger.test.ts',
  'test/runtime/schema/client-package.test.ts',
  'test/runtime/tracing/tracing.test.ts',
  'test/runtime/proxy.test.ts',
  'test/queue/admission-kill.test.ts',
  'test/queue/queue.test.ts',
  'test/runtime/schema/types.test.ts',
  'test/runtime/schema/twins.test.ts',
  'test/queue/operator.test.ts',
  'test/runtime/transfers/commands.test.ts',
  'test/runtime/refusals.test.ts',
  'test/runtime/access-lease.test.ts',
  'test/runtime/schema/findings.test.ts',
  'test/sdk/queue.test.ts',
  'test/runtime/schema/start.test.ts',
  'test/runtime/replaced-listener.test.ts',
  'test/queue/public-client.test.ts',
  'test/queue/wire.test.ts',
  'test/runtime/schema/respond-async.test.ts',
  'test/runtime/schema/watch.test.ts',
  'test/queue/http-runner.test.ts',
  'test/runtime/transfers/runs.test.ts',
  'test/runtime/metrics/admin-port.test.ts',
  'test/queue/object-store.test.ts',
  'test/runtime/schema/vendor-properties.test.ts',
  'test/runtime/pages.test.ts',
  'test/sdk/random.test.ts',
  'test/runtime/bootstrap.test.ts',
];

/** Slowest first, of the others. */
const computing: readonly string[] = [
  'test/runtime/supervisor.test.ts',
  'test/sdk/programs.test.ts',
  'test/runtime/schema/swap.test.ts',
  'test/queue/function-runner.test.ts',
  'test/generator/client/step.test.ts',
  'test/runtime/cli.test.ts',
  'test/runtime/behaviour/export.test.ts',
  'test/queue/rolling.test.ts',
  'test/runtime/columns/columns.test.ts',
  'test/runtime/property/aggregations.test.ts',
  'test/runtime/dev.test.ts',
  'test/runtime/schema/entries.test.ts',
  'test/runtime/behaviour/many-rows.test.ts',
  'test/runtime/schema/costs.test.ts',
  'test/queue/neighbours.test.ts',
  'test/runtime/schema/changes.test.ts',
  'test/runtime/property/hidden-cells.test.ts',
  'test/runtime/doctor.test.ts',
  'test/generator/openapi/validity.test.ts',
  'test/runtime/property/lists-compared.test.ts',
  'test/runtime/behaviour/rule-values.test.ts',
  'test/runtime/recorded/listeners.test.ts',
  'test/runtime/graphql/parity.test.ts',
  'test/runtime/auth/limits.test.ts',
  'test/queue/transfers.test.ts',
];

/** Other files are so short that several of them take as long as one that waits. */
const shortFiles = 4;

const choose = (names: readonly string[], files: readonly TestSpecification[]): TestSpecification[] =>
  names.flatMap((name) => files.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)));

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slow = choose(waiting, files);
    const beside = choose(computing, files);
    const named = new Set([...slow, ...beside]);
    const others = (await super.sort(files)).filter((file) => !named.has(file));
    const pairs = slow.flatMap((file, index) => {
      const partner = beside[index];
      return partner === undefined ? [file, ...others.splice(0, shortFiles)] : [file, partner];
    });
    return [...pairs, ...beside.slice(slow.length), ...others];
  }
}
