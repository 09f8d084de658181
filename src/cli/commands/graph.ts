/** `planwright graph`: a plan as a picture, of a document offline, of a run with how its nodes stand; and policies. */

import { OperationError } from '../../operations/index.ts';
import { defineCommand } from '../define-command.ts';
import { choice, flag, or, text } from '../options.ts';
import { noteIssues } from '../view/index.ts';
import { PLAN_FILE, PROJECT } from '../flags.ts';

export const graphCommand = defineCommand({
  name: 'graph',
  description: 'draw the plan of a document, which needs no server, of a run, with how its nodes stand, or a policy',
  examples: ['planwright graph plan.json --format markdown', 'planwright graph --policy --demo market-sizing'],
  arguments: { 'file?': PLAN_FILE.file },
  flags: {
    ...PROJECT,
    run: text('<workflow-id>', 'the plan of this run instead of a document'),
    policy: flag('the policy of the project instead of a plan: every stage, every exit'),
    agent: text('<name>', 'with --policy: that of this agent'),
    format: or('mermaid', choice('<format>', 'mermaid, tree or markdown', ['mermaid', 'tree', 'markdown'])),
  },
  async run({ file, run, policy, agent, format }, { output, perform }) {
    if (policy === true) {
      if ((file ?? run) !== undefined) {
        throw new OperationError('USAGE', '--policy draws the policy of a project; leave the document and --run out');
      }
      const drawn = await perform('policy', { agent, format });
      output.print({ ok: true, ...drawn }, () => drawn.text);
      return 'done';
    }
    if ((file === undefined) === (run === undefined)) {
      throw new OperationError('USAGE', 'name a plan document or, with --run, a run; one of the two');
    }
    const { readSource } = await import('../reading/index.ts');
    const source = file === undefined ? {} : await readSource(file);
    const asked = { ...source, workflowId: run, format, width: output.columns };
    const { warnings, limits, ...drawn } = await perform('graph', asked);
    noteIssues(warnings, output);
    if (limits !== undefined) output.note(`note: ${limits}`);
    output.print({ ok: true, ...drawn }, () => drawn.text);
    return 'done';
  },
});
