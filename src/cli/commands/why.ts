import { wrap } from '../../plan/lines/index.ts';
import { counted, quoteForShell } from '../../plan/text/index.ts';
import type { AgentRun, Reasons, StepReasons } from '../../operations/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';
import { commandLines, entryTable, nodeLines, waitLine } from '../view/index.ts';
import { inputLine, reasonLines, roundLines, usageText, workLines } from '../../operations/words/index.ts';

const INDENT = '  ';

export const whyView: View<'why'> = {
  show(found, { flags, output }) {
    const columns = output.lineColumns;
    const { round, node } = found;
    const step = round === undefined ? [] : [stepText(found as StepReasons, columns)];
    const entries = round === undefined ? found.entries : [];
    const ofNode =
      node === undefined ? [] : [textOf({ ...(found as Reasons), entries: entries ?? [] }, flags, columns)];
    return [...step, ...ofNode].join('\n');
  },
};

function stepText({ round, ended, entries }: StepReasons, columns: number): string {
  const end =
    ended === undefined ? [] : [`ended: ${ended.status}${ended.message === undefined ? '' : `, ${ended.message}`}`];
  const happened = entries.length === 0 ? [] : ['', entryTable(entries, { columns })];
  return [roundLines([round]), ...end, ...happened].join('\n');
}

function textOf(reasons: Reasons, flags: string, columns: number): string {
  const { node, because, inputs, agentRun, open, entries } = reasons;
  const more = (node.inputCount ?? 0) - inputs.length;
  const facts = [
    ...reasonLines(reasons),
    ...inputs.map((input) => `takes ${inputLine(input)}`),
    ...(more > 0 ? [`and takes ${counted(more, 'more result')}`] : []),
  ].flatMap((line) => wrap(line, columns - INDENT.length));
  // Commands are never wrapped.
  const commands = [
    ...(agentRun === undefined ? [] : agentLines(agentRun, flags)),
    ...open.flatMap((item) => [waitLine(item), ...commandLines('next', item, flags)]),
  ];
  return [
    ...nodeLines([node, ...(because === undefined ? [] : [because])], { columns }),
    ...[...facts, ...commands].map((line) => INDENT + line),
    ...(entries.length > 0 ? ['', entryTable(entries, { columns })] : []),
  ].join('\n');
}

function agentLines({ workflowId, phase, outcome, waits, usage, ...status }: AgentRun, flags: string): string[] {
  return [
    `its agent's run is ${workflowId}: ${outcome ?? phase}`,
    ...(waits === undefined ? [] : [`it ${waits}`]),
    ...workLines(status),
    ...(usage === undefined ? [] : [usageText(usage)]),
    `look at it with: ${asTyped(`trace ${quoteForShell(workflowId)}${flags}`)}`,
  ];
}
