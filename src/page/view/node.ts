import { nodeLabel } from '../../plan/outline/index.ts';
import { valuesOf, type CompiledPlan } from '../../plan/index.ts';
import { counted } from '../../plan/text/index.ts';
import type { AgentRun, OutputOf, Reasons, StepReasons } from '../../operations/index.ts';
import { actionsOf, inputLine, reasonLines, type CardAction } from '../../operations/words/index.ts';
import { given } from '../../protocol/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { folded, listOf, roleField, withTimes } from './layout.ts';
import { traceTable } from './lists.ts';
import { entryOf } from './fold.ts';
import { roundCard } from './rounds.ts';
import { nodeRow, valueList } from './outline.ts';
import { resultStart } from './result.ts';
import { valuesForm } from './values.ts';
import { pressed } from './waits.ts';

interface Why {
  readonly workflowId: string;
  readonly name: string;
  readonly reasons: Partial<Reasons & StepReasons>;
  readonly plan: CompiledPlan | undefined;
  readonly digest: string | undefined;
  readonly isClosed: boolean;
  readonly content?: OutputOf<'result'> | undefined;
}

export function whyPage(why: Why): Html {
  const { workflowId, name, reasons } = why;
  const { node, round, ended, entries = [] } = reasons;
  const title = node === undefined ? name : nodeLabel(given({ id: node.id, key: node.key }));
  return html`<h1>${title} <span class="dim">of</span> <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${round !== undefined && roundCard(workflowId, round)}
    ${ended !== undefined && html`<p>ended: ${ended.status}${ended.message !== undefined && `, ${ended.message}`}</p>`}
    ${node !== undefined && ofNode(why, reasons as Reasons)}
    ${entries.length > 0 && html`<h2>What happened</h2>${traceTable(entries)}`}`;
}

function ofNode(why: Why, reasons: Reasons): Html {
  const { workflowId, plan, isClosed, content } = why;
  const { node, because, agentRun } = reasons;
  const planNode = plan?.nodesById[node.id];
  const values = valuesOf(planNode);
  const rows = [node, ...(because === undefined ? [] : [because])].map((one) =>
    nodeRow({ workflowId, entry: { ...entryOf(one), node: one } }),
  );
  const gave =
    node.result === undefined
      ? html`<p>${node.status}</p>`
      : resultStart({ workflowId, part: { node: node.id }, handle: node.result, content });
  return html`<ol class="outline">${rows}</ol>
    <div class="pair">
      <section class="box"><h2>Given</h2>${values.length > 0 && valueList(values)}
        ${listOf(inputsOf(workflowId, reasons), 'facts')}</section>
      <section class="box"><h2>Gave</h2>${gave}</section>
    </div>
    ${listOf([...withTimes(reasonLines(reasons)), ...(agentRun === undefined ? [] : [agentFact(agentRun)])], 'facts')}
    ${!isClosed && actions(why, reasons)}`;
}

function inputsOf(workflowId: string, reasons: Reasons): readonly HtmlPiece[] {
  const { node, inputs } = reasons;
  const more = (node.inputCount ?? 0) - inputs.length;
  return [
    ...inputs.map((input) => html`takes <a href="${nodePath(workflowId, input.id)}">${inputLine(input)}</a>`),
    ...(more > 0 ? [`and takes ${counted(more, 'more result')}`] : []),
  ];
}

function agentFact({ workflowId, outcome, phase, waits }: AgentRun): Html {
  return html`its agent's run is <a href="${runPath(workflowId)}">${workflowId}</a>: ${outcome ?? phase}${waits !== undefined && `, ${waits}`}`;
}

const ENDED_ILL = new Set(['failed', 'cancelled', 'uncertain', 'skipped']);
const OPEN = new Set(['pending', 'running', 'waiting']);
const STOPS: readonly CardAction[] = [
  { name: 'skip-node', word: 'Go on without it', reason: 'Comment' },
  { name: 'cancel-node', word: 'Cancel this node', look: 'bad' },
];

function actions({ workflowId, digest, plan }: Why, { node, open }: Reasons): HtmlPiece {
  const { id, status } = node;
  const hidden = { run: workflowId, node: id, ...given({ digest }) };
  const ill = actionsOf(status === 'uncertain' ? status : 'failed');
  const all = ENDED_ILL.has(status) ? ill : OPEN.has(status) ? STOPS : [];
  if (all.length === 0) return '';
  const who = roleField(open.find(({ nodes }) => nodes.includes(id))?.roles);
  const values = status === 'pending' && plan !== undefined && valuesForm(workflowId, plan, [id]);
  return html`<section>
    <h2>What you can do</h2>
    ${values}${pressed(
      hidden,
      who,
      all.filter(({ fold }) => fold === undefined),
    )}
    ${all.map((one) => one.fold !== undefined && folded(one.fold, pressed(hidden, who, [one])))}
  </section>`;
}
