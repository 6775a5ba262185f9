/** Begins with the files that take longest, so that no worker is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** From the longest on, as the end of a run tells them. */
const longest: readonly string[] = [
  'test/queue/chaos.test.ts',
  'test/queue/durability.test.ts',
  'test/runtime/cli.test.ts',
  'test/runtime/supervisor.test.ts',
  'test/sdk/random.test.ts',
  'test/sdk/programs.test.ts',
  'test/queue/fairness.test.ts',
  'test/runtime/recorded/recorded.test.ts',
  'test/runtime/property/property.test.ts',
  'test/runtime/behaviour/fuzz.test.ts',
  'test/queue/receivers.test.ts',
  'test/queue/queue.test.ts',
  'test/runtime/auth/password-reset.test.ts',
  'test/queue/wire.test.ts',
  'test/queue/tls.test.ts',
  'test/runtime/auth/login-page.test.ts',
  'test/runtime/proxy.test.ts',
  'test/runtime/behaviour/freshness.test.ts',
  'test/generator/client/step.test.ts',
  'test/sdk/scale.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const index = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index === -1 ? longest.length : index;
};

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right));
  }
}
