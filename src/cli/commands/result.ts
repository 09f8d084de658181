/** `planwright result`: the result of a run or of one of its nodes, from the result store. */

import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { duration, text } from '../options.ts';
import { printSet, setForm } from '../set-form.ts';
import { startWait, timeLimit } from '../wait.ts';
import { FILE_SHAPE, PROJECT } from '../flags.ts';

export const resultCommand = defineCommand({
  name: 'result',
  summary: 'wait for the end of a run and print its result',
  description: 'wait for the end of a run and print its result; of a set, one id a line',
  examples: ['planwright result plan-1 --format bed > result.bed'],
  arguments: { workflowId: 'the run' },
  flags: {
    ...PROJECT,
    node: text('<node>', 'the result of this node, as soon as it has one'),
    context: text('<name>', 'the whole value of this name of external context, as the plan is bound to it'),
    format: FILE_SHAPE,
    timeout: duration('wait no longer than this'),
  },
  async run({ workflowId, node, context, format, ...rest }, { flags, output, plans, perform }) {
    const form = setForm(format, output);
    const limit = timeLimit(rest);
    const session = await plans.run(workflowId);
    const wait = startWait(limit, `the run goes on; come back with \`${asTyped(`result ${workflowId}${flags}`)}\``);
    const { tellWaiting } = await import('../tell-waiting.ts');
    try {
      const asked = perform('result', { workflowId, node, context, format: form }, { signal: wait.signal });
      printSet(await tellWaiting(session.run, { flags, output, server: session }, asked), output);
      return 'done';
    } finally {
      wait.end();
    }
  },
});
