/** Ends a run with one line of counts, for people and scripts alike. */
import type { Reporter, TestModule } from 'vitest/node';

const countsReporter: Reporter = {
  onTestRunEnd(modules, errors, reason) {
    const tests = modules.flatMap((module: TestModule) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    // a file that does not load, and an error outside of tests, count as one each
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = tests.length - passed + broken;
    const isInterrupted = reason === 'interrupted' && failed === 0;
    process.stdout.write(`\n${passed} passed, ${isInterrupted ? 1 : failed} failed\n`);
  },
};

export default countsReporter;
