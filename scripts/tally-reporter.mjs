import { writeFileSync } from 'node:fs';

/**
 * How a test run went.
 * @typedef {{ passed: number, failed: string[], skipped: { name: string, reason?: string }[] }} Tally
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
      // A file that could not be loaded, or whose hooks failed, has errors and perhaps no tests.
      if (testModule.errors().length > 0) tally.failed.push(file);
      for (const suite of testModule.children.allSuites()) {
        if (suite.errors().length > 0) tally.failed.push(`${file} > ${suite.fullName}`);
      }
      for (const test of testModule.children.allTests()) {
        const name = `${file} > ${test.fullName}`;
        const result = test.result();
        if (result.state === 'passed') tally.passed += 1;
        else if (result.state === 'skipped') tally.skipped.push({ name, ...(result.note && { reason: result.note }) });
        else tally.failed.push(name);
      }
    }
    for (const error of unhandledErrors) tally.failed.push(`unhandled: ${messageOf(error)}`);
    writeFileSync(/** @type {string} */ (process.env['PLANWRIGHT_TALLY']), JSON.stringify(tally));
  }
}

/** @param {unknown} error */
function messageOf(error) {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
