/** A run as the parts of its page: how it stands, what waits, what is under way, the plan drawn and as rows, its end. */

import { placeName } from '../../language/outline/index.ts';
import { nodeTitle } from '../../language/plan/index.ts';
import { clockText, counted, durationText, grouped, oneLine } from '../../language/text/index.ts';
import { errorOfEnd, issuesOf, saidBy, type SeenNode } from '../../operations/index.ts';
import {
  attemptNow,
  budgetText,
  commandOf,
  isInTrouble,
  messageFor,
  usageText,
  workLines,
} from '../../operations/words/index.ts';
import { amountOf, NODE_STATUSES, type OpenItem } from '../../wire/contract/index.ts';
import { html, type Html, type Piece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import type { Part, Parts, Seen } from '../watch.ts';
import { button, commentField, folded, form } from './layout.ts';
import { issueItem } from './issues.ts';
import { argumentsOf, mark, outlineParts } from './outline.ts';
import { treeOf } from './tree.ts';
import { waitCard, type Effect } from './waits.ts';

/** Things under way, waits and effects of a wait that are shown; the rest is counted. */
const SHOWN = { now: 20, waits: 50, effects: 100, nodes: 60 };

export type Typed = (command: string) => string;

/** The parts of a run's page, by the ids of their elements. */
export function runParts(seen: Seen, typed: Typed): Parts {
  const outline = outlineParts(seen);
  const tree = treeOf(seen);
  const fixed: readonly (readonly [id: string, html: Html])[] = [
    ['head', headOf(seen)],
    ['waits', waitsOf(seen, typed)],
    ['now', nowOf(seen)],
    ['tree', html`<div id="tree">${tree}</div>`],
    ['end', endOf(seen, typed)],
  ];
  return new Map<string, Part>([
    ...fixed.map(([id, made]) => [id, partOf(made)] as const),
    ['outline', outline?.whole ?? partOf(html`<ol id="outline" class="outline"></ol>`)],
    ...(outline?.rows ?? []),
  ]);
}

function partOf(made: Html): Part {
  return { key: String(made), html: () => made };
}

/** In the order of the page; rows stand in the outline. */
const ORDER = ['head', 'end', 'waits', 'now', 'tree', 'outline'] as const;

export function runPage(parts: Parts): Piece {
  return ORDER.map((id) => parts.get(id)?.html());
}

export function titleOf({ plan, workflowId }: Pick<Seen, 'plan' | 'workflowId'>): string {
  return plan === undefined ? workflowId : oneLine(plan.goal);
}

function headOf(seen: Seen): Html {
  const { workflowId, status, trouble, end, endedAt, listed, plan } = seen;
  const outcome = end === undefined ? undefined : saidBy(end).outcome;
  const phase = outcome ?? (listed !== undefined && listed.status !== 'running' ? listed.status : status?.phase);
  const lines =
    status === undefined
      ? []
      : [
          ...workLines({ ...status, children: [] }),
          ...(status.usage === undefined ? [] : [usageText(status.usage)]),
          ...(status.budget === undefined ? [] : [budgetText(status.budget)]),
        ];
  return html`<section id="head" class="head">
    <h1>${plan === undefined ? workflowId : plan.goal}</h1>
    <p class="meta">
      <b class="phase ${phase ?? ''}">${phase ?? 'not known yet'}${status?.paused === true && ', paused'}</b>
      <code>${workflowId}</code>${times(seen)}
    </p>
    ${trouble !== undefined && html`<p class="warning lines" role="alert">${trouble.message}</p>`}${status === undefined && trouble === undefined && end === undefined && html`<p class="warning">its worker has not answered yet</p>`}
    ${status?.waits !== undefined && html`<p class="warning lines">${status.waits}</p>`}${counts(seen)}${lines.map((line) => html`<p>${line}</p>`)}${agents(seen)}
    <p class="links">
      ${status !== undefined && html`digest <code>${status.digest.slice(0, 8)}</code>, revision ${status.revision} · `}<a
        href="${runPath(workflowId, 'trace')}"
        >what happened</a>${status?.loop !== undefined && html` · <a href="${runPath(workflowId, 'rounds')}">rounds</a>`} ·
      <a href="${runPath(workflowId, 'nodes')}">all nodes</a>
    </p>
    ${outcome === undefined && endedAt === undefined && controls(seen)}
  </section>`;
}

function times({ status, endedAt }: Seen): Piece {
  if (status === undefined) return '';
  const { startedAt } = status;
  if (endedAt === undefined) return html` started ${clockText(startedAt)}, <span data-since="${startedAt}"></span>`;
  return html` started ${clockText(startedAt)}, took ${durationText(Date.parse(endedAt) - Date.parse(startedAt))}`;
}

function counts({ status, attempts }: Seen): Piece {
  if (status === undefined || status.counts.total === 0) return '';
  const queued = attempts.filter(({ state, part }) => state === 'waits for a worker' && part === undefined).length;
  const { total } = status.counts;
  const each = { ...status.counts, running: Math.max(0, status.counts.running - queued) };
  const ended = total - each.pending - status.counts.running - each.waiting;
  const told = [
    ...NODE_STATUSES.filter((one) => each[one] > 0).map((one) => `${grouped(each[one])} ${one}`),
    ...(queued > 0 ? [`${queued} queued`] : []),
  ];
  return html`<p>
    <progress max="${total}" value="${ended}" aria-label="nodes that have ended"></progress> ${counted(total, 'node')}:
    ${told.join(', ')}
  </p>`;
}

function agents({ status }: Seen): Piece {
  const { children = [] } = status ?? {};
  if (children.length === 0) return '';
  return html`<ul class="agents">
    ${children.slice(0, SHOWN.now).map(
      ({ node, workflowId, waitingFor }) =>
        html`<li>
          agent of ${node}:
          <a href="${runPath(workflowId)}">${workflowId}</a>${waitingFor > 0 && `, waits for a person: ${waitingFor}`}
        </li>`,
    )}
  </ul>`;
}

function controls({ workflowId, status }: Seen): Piece {
  const hidden = { run: workflowId };
  const turn = status?.paused === true ? button('Resume', 'resume') : button('Pause', 'pause');
  return html`<div class="controls">
    ${form(hidden, turn)}${folded('Kill', form(hidden, html`${commentField('Reason', true)}${button('Kill the run', 'kill', 'bad')}`), 'kill')}
  </div>`;
}

function waitsOf(seen: Seen, typed: Typed): Html {
  const { open } = seen;
  const shown = open.slice(0, SHOWN.waits);
  const more = open.length - shown.length;
  return html`<section id="waits" aria-label="Waits for a person">
    ${shown.map((item) =>
      waitCard({
        item,
        runs: [item.workflowId],
        effects: effectsOf(item, seen),
        nodes: partsOf(item, seen),
        command: commandText(item, typed),
      }),
    )}${more > 0 && html`<p>and ${counted(more, 'more wait')}</p>`}
  </section>`;
}

/** An agent's waits are about another plan. */
function isOwn(item: OpenItem, { workflowId, status }: Seen): boolean {
  return item.workflowId === workflowId && item.digest === status?.digest;
}

/** The effects above read that have not begun, with their values: what an approval lets happen. */
function effectsOf(item: OpenItem, seen: Seen): readonly Effect[] {
  if (item.kind !== 'approval' || !isOwn(item, seen)) return [];
  const named = new Set(item.nodes);
  const isAll = item.nodeCount > item.nodes.length;
  const asked = seen.nodes.filter(
    ({ id, status, effect = 'read' }) => effect !== 'read' && status === 'pending' && (isAll || named.has(id)),
  );
  return asked.slice(0, SHOWN.effects).map((node) => effectOf(node, seen.plan));
}

export function effectOf(node: Pick<SeenNode, 'id' | 'key' | 'summary' | 'effect'>, plan: Seen['plan']): Effect {
  const own = plan?.nodesById[node.id];
  const name = placeName({ id: node.id, ...(node.key !== undefined && { key: node.key }) });
  const title = own === undefined ? node.summary : nodeTitle(own);
  return { name, title, effect: node.effect ?? 'read', values: own?.kind === 'task' ? argumentsOf(own.arguments) : [] };
}

/** The nodes that may be approved alone: of a large plan its effects. */
function partsOf(item: OpenItem, seen: Seen): readonly SeenNode[] {
  if (item.kind !== 'approval' || !isOwn(item, seen)) return [];
  const pending = seen.nodes.filter(({ status }) => status === 'pending');
  const told = pending.length > SHOWN.nodes ? pending.filter(({ effect = 'read' }) => effect !== 'read') : pending;
  return told.slice(0, SHOWN.effects);
}

export function commandText(item: OpenItem, typed: Typed): string {
  return commandOf(item.workflowId, messageFor(item), { typed, signed: item.signed === true });
}

/** Nodes and parts at work, those in trouble first; while a goal is planned what its model has written last. */
function nowOf(seen: Seen): Html {
  const { nodes, attempts, feedback, workflowId, trouble } = seen;
  const now = Date.now();
  const byNode = new Map(nodes.map((node) => [node.id, node]));
  const rank = (one: (typeof attempts)[number]) =>
    isInTrouble(one, now) ? 0 : one.state === 'waits for a worker' ? 2 : 1;
  const sorted = trouble?.code === 'no-server' ? [] : attempts.toSorted((a, b) => rank(a) - rank(b));
  const rows = sorted.slice(0, SHOWN.now).map((one) => {
    const { says, by = '' } = attemptNow(one, now);
    const node = byNode.get(one.id);
    const name =
      node === undefined ? one.id : placeName({ id: node.id, ...(node.key !== undefined && { key: node.key }) });
    const far =
      one.part === undefined || one.part.of === 0
        ? ''
        : `${grouped(one.part.done)} of ${counted(one.part.of, 'node')} `;
    return html`<li class="${rank(one) === 0 && 'trouble'}">
      ${mark({ standing: one.state === 'waits for a worker' ? 'queued' : 'running' })}${node === undefined ? name : html`<a href="${nodePath(workflowId, node.id)}">${name}</a>`}
      ${one.at !== undefined && html`<span class="tail" data-since="${one.at}"></span>`}
      ${far}${[says, by].filter((part) => part !== '').join(' ')}
    </li>`;
  });
  const more = sorted.length - rows.length;
  const isQuiet = rows.length === 0 && feedback.length === 0;
  return html`<section id="now">
    ${!isQuiet && html`<h2>Now</h2>`}${feedback.length > 0 && html`<pre class="feedback">${feedback.join('\n')}</pre>`}${
      rows.length > 0 &&
      html`<ul>
        ${rows}
      </ul>`
    }${more > 0 && html`<p>and ${grouped(more)} more under way</p>`}
  </section>`;
}

/** How it ended, and where its results are. */
function endOf(seen: Seen, typed: Typed): Html {
  const { workflowId, end, nodes } = seen;
  if (end === undefined) return html`<section id="end"></section>`;
  const said = saidBy(end);
  const error = errorOfEnd(workflowId, end, typed);
  const results = Object.entries(said.results ?? {});
  const again = form({ run: workflowId }, button('Run it again, with what has finished', 'rerun'));
  return html`<section id="end">
    <h2>${said.result === undefined ? 'The end' : 'Result'}</h2>
    ${error !== undefined && html`<p class="warning lines">${error.message}</p>`}${error !== undefined && issuesOf(error).map(issueItem)}
    ${said.result !== undefined && html`<p class="result"><a href="${runPath(workflowId, 'result')}">${amountOf(said.result)}</a></p>`}
    ${
      results.length > 0 &&
      html`<ul>
        ${results.slice(0, SHOWN.effects).map(([key, handle]) => html`<li>${key}: <a href="${runPath(workflowId, 'result')}?node=${encodeURIComponent(nodeFor(key, nodes))}">${amountOf(handle)}</a></li>`)}
      </ul>`
    }${again}
  </section>`;
}

function nodeFor(key: string, nodes: readonly SeenNode[]): string {
  return nodes.find((node) => node.key === key)?.id ?? key;
}
