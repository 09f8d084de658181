/** Why a node, or a step of a loop, stands as it does; all that it is given; and what a person can do about it. */

import { placeName } from '../../language/outline/index.ts';
import { nodeSentence, type CompiledPlan } from '../../language/plan/index.ts';
import { clockText, counted, oneLine } from '../../language/text/index.ts';
import type { Reasons, StepReasons } from '../../operations/index.ts';
import { attemptText, inputLine, missingText, roundLines, timeLines } from '../../operations/words/index.ts';
import { amountOf, type TraceEntry } from '../../wire/contract/index.ts';
import { html, type Html, type Piece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { button, commentField, form } from './layout.ts';
import { tableOf } from './lists.ts';
import { argumentsOf, nodeRow, valueList } from './outline.ts';
import { settleForms } from './waits.ts';

interface Why {
  readonly workflowId: string;
  readonly name: string;
  readonly reasons: Partial<Reasons & StepReasons>;
  readonly plan: CompiledPlan | undefined;
  /** The plan that is open, for what is said of the node. */
  readonly digest: string | undefined;
  readonly isClosed: boolean;
}

export function whyPage(why: Why): Html {
  const { workflowId, name, reasons } = why;
  const { node, round, entries = [] } = reasons;
  const title =
    node === undefined ? name : placeName({ id: node.id, ...(node.key !== undefined && { key: node.key }) });
  return html`<h1>${title} <span class="dim">of</span> <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${round !== undefined && html`<pre>${roundLines([round])}</pre>`}${reasons.ended !== undefined && html`<p>ended: ${reasons.ended.status}${reasons.ended.message !== undefined && `, ${reasons.ended.message}`}</p>`}
    ${node !== undefined && ofNode(why, reasons as Reasons)}${
      entries.length > 0 &&
      html`<h2>What happened</h2>
        ${entryTable(entries)}`
    }`;
}

function entryTable(entries: readonly TraceEntry[]): Html {
  return tableOf(
    ['Time', 'Kind', 'Event'],
    entries.map(
      ({ at, what, text }, place) =>
        html`<tr>
          <td>${clockText(at, entries[place - 1]?.at)}</td>
          <td>${what}</td>
          <td>${text}</td>
        </tr>`,
    ),
  );
}

function ofNode(why: Why, reasons: Reasons): Piece {
  const { workflowId, plan } = why;
  const { node, because, inputs, attempt, agentRun, approvedBy, missing } = reasons;
  const own = plan?.nodesById[node.id];
  const values = own?.kind === 'task' ? argumentsOf(own.arguments) : [];
  const more = (node.inputCount ?? 0) - inputs.length;
  const facts = [
    `carried out by ${node.executor}`,
    ...(approvedBy.length > 0 ? [`the plan was approved by ${approvedBy.map((by) => oneLine(by)).join(', ')}`] : []),
    ...timeLines(reasons),
    ...(missing === undefined ? [] : [missingText(missing)]),
    ...(attempt === undefined ? [] : [attemptText(attempt)]),
  ];
  const entry = {
    id: node.id,
    title: node.summary,
    takes: [],
    ...(node.key !== undefined && { key: node.key }),
    ...(node.effect !== undefined && { effect: node.effect }),
  };
  return html`<ol class="outline">
      ${nodeRow({ workflowId, entry, prefix: '', node, values: undefined })}${
        because !== undefined &&
        nodeRow({
          workflowId,
          entry: { ...entry, id: because.id, title: because.summary },
          prefix: '',
          node: because,
          values: undefined,
        })
      }
    </ol>
    ${own !== undefined && plan !== undefined && html`<p>${nodeSentence(own, plan)}</p>`}${
      values.length > 0 &&
      html`<h2>It is given</h2>
        ${valueList(values)}`
    }
    <ul class="facts">
      ${facts.map((line) => html`<li>${line}</li>`)}${inputs.map((input) => html`<li>takes <a href="${nodePath(workflowId, input.id)}">${inputLine(input)}</a></li>`)}${more > 0 && html`<li>and takes ${counted(more, 'more result')}</li>`}${
        agentRun !== undefined &&
        html`<li>
          its agent's run is <a href="${runPath(agentRun.workflowId)}">${agentRun.workflowId}</a>:
          ${agentRun.outcome ?? agentRun.phase}
        </li>`
      }
    </ul>
    ${node.result !== undefined && html`<p>Result: <a href="${runPath(workflowId, 'result')}?node=${encodeURIComponent(node.id)}">${amountOf(node.result)}</a></p>`}${!why.isClosed && actions(why, reasons)}`;
}

const ENDED_ILL = new Set(['failed', 'cancelled', 'uncertain', 'skipped']);
const OPEN = new Set(['pending', 'running', 'waiting', 'uncertain', 'failed']);

function actions({ workflowId, digest = '' }: Why, { node, open }: Reasons): Piece {
  const { id, status } = node;
  const roles = open.find(({ nodes }) => nodes.includes(id))?.roles;
  const hidden = { run: workflowId, node: id, ...(digest !== '' && { digest }) };
  return html`<section class="actions" aria-label="What you can do">
    <h2>What you can do</h2>
    ${ENDED_ILL.has(status) && settleForms({ hidden, roles })}${
      OPEN.has(status) &&
      form(
        hidden,
        html`${commentField('Comment')}${button('Cancel this node', 'cancel-node', 'bad')}${!ENDED_ILL.has(status) && button('Go on without it', 'skip-node')}`,
      )
    }
  </section>`;
}
