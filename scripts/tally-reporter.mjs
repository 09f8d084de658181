import { writeFileSync } from 'node:fs';

/**
 * How a test run went.
 * @typedef {{ name: string, project: string, file: string }} Failure
 * @typedef {{ passed: number, failed: Failure[], skipped: { name: string, reason?: string }[] }} Tally
 */

/** A vitest reporter that writes a Tally as JSON to the file that PLANWRIGHT_TALLY names. */
export default class TallyReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} testModules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(testModules, unhandledErrors) {
    /** @type {Tally} */
    const tally = { passed: 0, failed: [], skipped: [] };
    for (const testModule of testModules) {
      const file = testModule.relativeModuleId;
      const project = testModule.project.name;
      const fail = (/** @type {string} */ name) => tally.failed.push({ name, project, file });
      // A file that could not be loaded, or whose hooks failed, has errors and perhaps no tests.
      if (testModule.errors().length > 0) fail(file);
      for (const suite of testModule.children.allSuites()) {
        if (suite.errors().length > 0) fail(`${file} > ${suite.fullName}`);
      }
      for (const test of testModule.children.allTests()) {
        const name = `${file} > ${test.fullName}`;
        const result = test.result();
        if (result.state === 'passed') tally.passed += 1;
        // What has the tag was not asked for.
        else if (result.state === 'skipped' && test.tags.includes('slow')) continue;
        else if (result.state === 'skipped' && !isInFailed(test))
          tally.skipped.push({ name, ...(result.note && { reason: result.note }) });
        else fail(name);
      }
    }
    // A process of tests that is gone takes its file along, whose tests failed by that: there is nothing more to tell.
    const isTold = tally.failed.length > 0;
    for (const error of unhandledErrors.filter(
      (one) => !isTold || !messageOf(one).includes('Worker forks emitted error'),
    ))
      tally.failed.push({ name: `unhandled: ${messageOf(error)}`, project: '', file: '' });
    writeFileSync(/** @type {string} */ (process.env['PLANWRIGHT_TALLY']), JSON.stringify(tally));
  }
}

/**
 * Whether a hook failed above a test: vitest calls such a test skipped, though it is the one that could not run.
 * @param {import('vitest/node').TestCase} test
 */
function isInFailed(test) {
  /** @type {import('vitest/node').TestSuite | import('vitest/node').TestModule} */
  let above = test.parent;
  while (above.type === 'suite' && above.errors().length === 0) above = above.parent;
  return above.errors().length > 0;
}

/** @param {unknown} error */
function messageOf(error) {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
