/** Reports the slowest files of a run and a line of counts. */
import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSuite } from 'vitest/node';

export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const skipped = tests.filter((test) => test.result().state === 'skipped' && !isInBroken(test)).length;
    // a file that fails to load and an error outside of tests count as one failure each
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = tests.length - passed - skipped + broken;
    process.stdout.write(`\n${slowest(modules)}\n`);
    process.stdout.write(
      `\n${passed} passed, ${reason === 'interrupted' ? Math.max(failed, 1) : failed} failed\n`,
    );
  }
}

/** Returns whether a test was skipped because a hook failed. */
const isInBroken = ({ parent }: TestCase | TestSuite): boolean =>
  parent.errors().length > 0 || (parent.type === 'suite' && isInBroken(parent));

const secondsOf = (module: TestModule): number => {
  const { duration, collectDuration, setupDuration, prepareDuration } = module.diagnostic();
  return (duration + collectDuration + setupDuration + prepareDuration) / 1000;
};

/** Returns the ten slowest files, including hooks and imports, and whether they computed or waited. */
const slowest = (modules: readonly TestModule[]): string =>
  modules
    .toSorted((left, right) => secondsOf(right) - secondsOf(left))
    .slice(0, 10)
    .map(
      (module) =>
        `${secondsOf(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}${printProcessor(module)}`,
    )
    .join('\n');

const printProcessor = (module: TestModule): string => {
  const { processor } = module.meta();
  if (processor === undefined) return '';
  const { used, byOthers, waited } = processor;
  return ` (computed ${used.toFixed(1)} s, its processes ${byOthers.toFixed(1)} s, waited ${waited.toFixed(1)} s for a processor)`;
};
