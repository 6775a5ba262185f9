/** Ends a run with one line of counts, for people and scripts alike. */
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    // a file that does not load, and an error outside of tests, count as one each
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = tests.length - passed + broken;
    process.stdout.write(
      `\n${passed} passed, ${reason === 'interrupted' ? Math.max(failed, 1) : failed} failed\n`,
    );
  }
}
