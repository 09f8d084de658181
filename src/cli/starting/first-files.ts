/** The plan and the test that `planwright init` writes beside a first config. */

export const PLAN = 'plan.yaml';
export const TEST = 'plan.test.mjs';

export const PLAN_SOURCE = `# What is to be done, in what order. 'npx planwright compile plan.yaml' checks it and shows it; nothing runs.
goal: Count the words of a proverb and of its answer
steps:
  - context_key: proverb
    task_objective: Count the words of the proverb
    capability: count-words
    parameters: { text: Look before you leap }
  - context_key: answer
    task_objective: Count the words of the answer
    capability: count-words
    parameters: { text: He who hesitates is lost }
  - context_key: report
    task_objective: Say how many words each has
    capability: respond
    inputs: [proverb, answer]
`;

export const TEST_SOURCE = `import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';

// Fails with every problem of the plan if a capability or its input has changed.
test('the plan fits the capabilities of this project', () => {
  const options = { encoding: 'utf8', shell: process.platform === 'win32' };
  const args = ['planwright', 'compile', 'plan.yaml', '-o', 'json'];
  const { status, stdout, stderr } = spawnSync(npx, args, options);
  assert.equal(status, 0, stderr + stdout);
  const { executors } = JSON.parse(stdout);
  const does = Object.values(executors).map(({ name, effect }) => \`\${name} \${effect}\`);
  assert.deepEqual(does, ['count-words read', 'count-words read', 'respond read']);
});
`;
