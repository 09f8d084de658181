/** The lists: what waits for a person over all runs, the runs, the nodes of one, its rounds, what happened to it. */

import type { OutlineEntry } from '../../language/outline/index.ts';
import { clockText, counted, durationText, grouped } from '../../language/text/index.ts';
import type { Listed, SeenNode } from '../../operations/index.ts';
import { entryOfNode, roundLines } from '../../operations/words/index.ts';
import type { RoundRecord, TraceEntry } from '../../wire/contract/index.ts';
import { exact, html, type Html, type Piece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { nodeRow } from './outline.ts';
import { waitCard, type Wait } from './waits.ts';

interface InboxShown {
  readonly waits: readonly Wait[];
  /** How many things wait, in all groups. */
  readonly count: number;
  /** Runs whose waits are not known, and why; items that are not shown. */
  readonly missing: readonly string[];
}

export function inboxPage(shown: InboxShown): Html {
  return html`<h1>Inbox</h1>
    ${inboxList(shown)}`;
}

/** The part of it that changes. */
export function inboxList({ waits, count, missing }: InboxShown): Html {
  return html`<div id="inbox">
    <p>${count === 0 ? 'Nothing waits for a person.' : `${counted(count, 'thing')} wait${count === 1 ? 's' : ''} for a person.`}</p>
    ${missing.map((line) => html`<p class="warning lines">${line}</p>`)}
    ${waits.map((wait) => html`<article>${runHead(wait)}${waitCard(wait)}</article>`)}
  </div>`;
}

function runHead({ runs: [first = '', ...others] }: Wait): Html | '' {
  return others.length > 0 ? '' : html`<h2><a href="${runPath(first)}">${first}</a></h2>`;
}

export function listPage(runs: readonly Listed[], isOpen: boolean, lookedAt: number | undefined): Html {
  const now = new Date().toISOString();
  const rows = runs.map(
    ({ workflowId, goal, outcome, phase, status, startTime, closeTime, waitingFor = 0, ...rest }) => {
      const took = durationText(Date.parse(closeTime ?? now) - Date.parse(startTime));
      const state = `${outcome ?? phase ?? status}${'answered' in rest ? ' (no worker answers)' : ''}`;
      return html`<tr>
        <td>
          <a href="${runPath(workflowId)}">${goal ?? workflowId}</a>${goal !== undefined && html`<br /><code>${workflowId}</code>`}
        </td>
        <td>
          <b class="phase ${outcome ?? phase ?? status}">${state}</b>${waitingFor > 0 && html`<br />waits for a person: ${waitingFor}`}
        </td>
        <td>${clockText(startTime, now)}</td>
        <td>${took}</td>
      </tr>`;
    },
  );
  return html`<h1>Runs</h1>
    <p>${isOpen ? html`<a href="/runs">all runs</a>` : html`<a href="/runs?open=1">only those that go on</a>`}</p>
    ${rows.length === 0 ? html`<p>There are no runs. <a href="/new">Start one</a>.</p>` : tableOf(['Run', 'State', 'Started', 'Took'], rows)}${lookedAt !== undefined && html`<p class="dim">The newest of ${grouped(lookedAt)} runs that were looked at.</p>`}`;
}

/** A table that scrolls by itself where a screen is narrow. */
export function tableOf(heads: readonly string[], rows: Piece): Html {
  return html`<div class="scroll" role="region" aria-label="${heads.join(', ')}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** Nodes that a page shows. */
const NODES = 200;

interface NodesShown {
  readonly workflowId: string;
  readonly nodes: readonly SeenNode[];
  /** Id, key or words of it, or how it stands. */
  readonly search: string;
  /** The first node of this page, in the order of the plan. */
  readonly from: string | undefined;
}

/** Every node of a run in the order of its plan, page by page, or those that are looked for. */
export function nodesPage({ workflowId, nodes, search, from }: NodesShown): Html {
  const wanted = search.trim().toLowerCase();
  const fits = ({ id, key = '', summary, status, effect = 'read', executor }: SeenNode) =>
    wanted === '' || [id, key, summary, status, effect, executor].some((text) => text.toLowerCase().includes(wanted));
  const found = nodes.filter(fits);
  const start = Math.max(
    0,
    found.findIndex(({ id }) => id === from),
  );
  const shown = found.slice(start, start + NODES);
  const next = found[start + NODES]?.id;
  const before = start === 0 ? undefined : found[Math.max(0, start - NODES)]?.id;
  const to = (id: string) =>
    `${runPath(workflowId, 'nodes')}?q=${encodeURIComponent(search)}&from=${encodeURIComponent(id)}`;
  const entryOf = (node: SeenNode): OutlineEntry => entryOfNode(node);
  return html`<h1>Nodes of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <form method="get" class="search">
      <label>Find <input name="q" value="${exact(search)}" placeholder="id, key, title, failed, at-most-once" /></label><button>Find</button>
    </form>
    <p>
      ${grouped(found.length)} of
      ${counted(nodes.length, 'node')}${found.length > NODES && `, from the ${grouped(start + 1)}. on`}
    </p>
    <ol class="outline">
      ${shown.map((node) => nodeRow({ workflowId, entry: entryOf(node), prefix: '', node, values: undefined }))}
    </ol>
    <p class="pages">
      ${before !== undefined && html`<a href="${to(before)}">those before</a> `}${next !== undefined && html`<a href="${to(next)}">those after</a>`}
    </p>`;
}

export function tracePage(
  workflowId: string,
  entries: readonly TraceEntry[],
  dropped: number,
  next: number | undefined,
): Html {
  let before: string | undefined;
  const rows = entries.map(({ seq, at, what, text, ...rest }) => {
    const time = clockText(at, before);
    before = at;
    const said = 'said' in rest ? rest.said : undefined;
    const proof =
      said !== undefined && 'verified' in said && (said.verified === true ? ' (verified)' : ' (unverified)');
    return html`<tr>
      <td>${seq}</td>
      <td>${time}</td>
      <td>${what}</td>
      <td>${text}${proof}</td>
    </tr>`;
  });
  return html`<h1>What happened to <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${tableOf(['No.', 'Time', 'Kind', 'Event'], rows)}${
      dropped > 0 && html`<p class="dim">${grouped(dropped)} more were not kept by the run.</p>`
    }${next !== undefined && html`<p><a href="${runPath(workflowId, 'trace')}?after=${next}">those after</a></p>`}`;
}

interface RoundsShown {
  readonly workflowId: string;
  readonly round: number;
  readonly maxRounds: number;
  readonly rounds: readonly RoundRecord[];
}

export function roundsPage({ workflowId, round, maxRounds, rounds }: RoundsShown): Html {
  return html`<h1>Rounds of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <p>Round ${round} of at most ${maxRounds}.</p>
    <ol class="rounds">
      ${rounds.toReversed().map(
        (one) =>
          html`<li>
            <pre>${roundLines([one])}</pre>
            <a href="${nodePath(workflowId, `step_${one.round}`)}">why step_${one.round}</a>
          </li>`,
      )}
    </ol>`;
}
