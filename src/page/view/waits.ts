import { nodeLabel } from '../../plan/outline/index.ts';
import { counted, oneLine } from '../../plan/text/index.ts';
import {
  given,
  isOfRemoved,
  schemaText,
  type AskedEffect,
  type OpenItem,
  type SeenNode,
} from '../../protocol/index.ts';
import { fieldOf } from '../../operations/words/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { MAX_LISTED_RUNS } from '../messages.ts';
import { nodePath, resultPath, runPath } from '../paths.ts';
import { fieldHtml, isDate, type Misfit } from './fields.ts';
import { andMore, button, commentField, folded, form, listOf, roleField, timeOf, type Hidden } from './layout.ts';
import { valueList } from './outline.ts';
import { effectChip, inWords } from './words.ts';

export interface WaitCard {
  readonly item: OpenItem;
  /** Runs with equal plans for the same answer. The item's own run comes first. */
  readonly runs: readonly string[];
  readonly differs?: readonly (readonly string[])[];
  readonly replans: boolean;
  /** Nodes that failed for the same reason and get the same answer. Default: the item's nodes. */
  readonly alike?: readonly string[];
  readonly goal?: string | undefined;
  readonly context: readonly string[];
  /** Nodes that can be approved alone; empty in the inbox. */
  readonly nodes: readonly SeenNode[];
  readonly command: string;
  /** An answer that did not fit. */
  readonly misfit?: Misfit;
}

export const TITLES: Readonly<Record<OpenItem['kind'], string>> = {
  approval: 'Approve this plan?',
  question: 'Question',
  uncertain: 'Did it happen?',
  failed: 'It failed',
  fault: 'It cannot go on',
  budget: 'The budget is spent',
};
const TITLE = 200;
const RUNS_NAMED = 20;

export function waitCard(wait: WaitCard): Html {
  const { item, runs, command, alike = [] } = wait;
  const { kind, roles, since, deadline, warning, asks, bounds, signed } = item;
  // The card's heading has the goal.
  const ask = warning === undefined ? item.text : item.text.replace(`${warning}\n`, '');
  const text = wait.goal === undefined ? ask : ask.replace(` "${oneLine(wait.goal)}"`, '');
  const isTitle = (kind === 'approval' || kind === 'question') && text.length <= TITLE && !text.includes('\n');
  const many = alike.length > 1 && html` <span class="dim">${counted(alike.length, 'node')} alike</span>`;
  return html`<section class="wait ${kind}" id="${idIn(wait, 'card')}" data-item="${itemKeyOf(item)}" data-digest="${item.digest}"
    data-shown="${item.shown ?? ''}" aria-label="${TITLES[kind]} ${runs[0] ?? ''}" tabindex="-1">
    <h2>${isTitle ? text : TITLES[kind]}${many}${runs.length > 1 && html` <span class="dim">in ${runs.length} runs</span>`}</h2>
    <p class="meta">for ${rolesText(roles)}, since ${timeOf(since)}, until ${timeOf(deadline)}${
      signed === true && ', signed messages only'
    }</p>
    ${warning !== undefined && html`<p class="warning lines">${warning}</p>`}
    ${!isTitle && html`<p class="lines">${text}</p>`}
    ${alike.length > 1 && html`<p class="meta">${alike.slice(0, RUNS_NAMED).map((node) => html`<a href="${nodePath(item.workflowId, node)}">${node}</a> `)}</p>`}
    ${asks !== undefined && html`<p><b>${inWords(asks)}</b></p>`}
    ${bounds !== undefined && html`<p>${inWords(bounds)}</p>`}
    ${effectList(wait)}${answersTo(wait)}
    <div class="more">${moreWays(wait)}${folded('By command', html`<pre><code>${command}</code></pre>`, idIn(wait, 'command'))}</div>
  </section>`;
}

export function rolesText(roles: readonly string[] | undefined): string {
  return roles?.join(' or ') ?? 'anybody';
}

/** Both ids may contain spaces. */
export function itemKeyOf({ workflowId, id }: OpenItem): string {
  return `${workflowId.replaceAll('%', '%25').replaceAll(' ', '%20')} ${id}`;
}

export function runInKey(key: string): string {
  return (key.split(' ')[0] ?? '').replaceAll('%20', ' ').replaceAll('%25', '%');
}

/** A key that failures with one cause share. Uncertain effects have none, since their texts may contain amounts. */
export function sharedAnswerKey(item: OpenItem, runs: readonly string[] = [item.workflowId]): string {
  const { kind, digest, roles, text } = item;
  const cause = text.slice(Math.max(0, text.indexOf(FAILED)));
  return JSON.stringify(kind === 'failed' ? [runs, digest, roles, likeness(cause)] : itemKeyOf(item));
}

/** The text that a run writes between the name of a node and its failure. */
const FAILED = ') failed: ';

/** The text without its digits, so that texts that differ only in ids and numbers are equal. */
export function likeness(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

export function alikeOf(items: readonly OpenItem[]): Pick<WaitCard, 'alike'> {
  return items.length < 2 ? {} : { alike: items.slice(0, MAX_LISTED_RUNS).flatMap(({ nodes }) => nodes.slice(0, 1)) };
}

function idIn({ item: { workflowId, id, digest } }: WaitCard, part: string): string {
  return ['w', workflowId, id, digest.slice(0, 8), part].join('-');
}

export function effectItems(effects: readonly AskedEffect[], look = 'effects'): Html | '' {
  const items = effects.map(({ node: id, key, title, effect, cost, resource, values = [], shows = [], ...one }) => {
    const facts = [
      ...(cost === undefined ? [] : [`cost ${cost}`]),
      ...(resource === undefined ? [] : [`writes to ${resource}`]),
    ];
    return html`${effectChip({ effect })} ${nodeLabel(given({ id, key }))} <b>${title}</b>
      <span class="meta">${facts.join(', ')}</span>${values.length + shows.length > 0 && valueList(values, shows)}
      ${[...(one.untrusted ?? []), ...(one.before === undefined ? [] : [one.before])].map((line) => html`<p class="warning">${line}</p>`)}`;
  });
  return listOf(items, look);
}

function effectList({ item, context }: WaitCard): HtmlPiece {
  const whole = (name: string) => html` <a href="${resultPath(item.workflowId, { context: name })}">${name}</a>`;
  return [
    effectItems(item.effects ?? []),
    listOf(item.context ?? [], 'facts meta'),
    item.context !== undefined && context.length > 0 && html`<p class="meta">Whole values:${context.map(whole)}</p>`,
    item.leftOut !== undefined && html`<p class="warning">${item.leftOut}</p>`,
  ];
}

function runFields({ runs, differs = [] }: Pick<WaitCard, 'runs' | 'differs'>): Html | '' {
  if (runs.length < 2) return '';
  const field = (run: string, type: HtmlPiece) => html`<input ${type} name="run" value="${exact(run)}">`;
  const box = html`type="checkbox" checked`;
  const rest = runs.slice(RUNS_NAMED);
  return html`<fieldset>
    <legend>In these runs</legend>
    ${runs.slice(0, RUNS_NAMED).map((run, at) => {
      const difference = html`<span class="meta">${differs[at]?.join(', ')}</span>`;
      return html`<label>${field(run, box)} <a href="${runPath(run)}">${run}</a> ${difference}</label>`;
    })}
    ${andMore(rest.length, 'run')}
    ${rest.map((run) => field(run, html`type="hidden"`))}
  </fieldset>`;
}

function answersTo(wait: WaitCard): HtmlPiece {
  switch (wait.item.kind) {
    case 'approval':
      return html`<div class="decide">${wait.item.send.name !== 'decide' && approval(wait)}${otherPlan(wait)}</div>`;
    case 'question':
      return question(wait);
    case 'uncertain':
    case 'failed': {
      const [status, isOne] = [wait.item.kind, nodesIn(wait).length < 2];
      const isRemoved = isOfRemoved(wait.item);
      return settleForms({ ...addressed(wait), node: nodesIn(wait) }, whoFields(wait), { status, isOne, isRemoved });
    }
    case 'fault':
    case 'budget':
      return goingOn(wait);
  }
}

function nodesIn({ item, alike = item.nodes.slice(0, 1) }: WaitCard): readonly string[] {
  return alike;
}

function whoFields(wait: WaitCard): Html {
  return html`${runFields(wait)}${roleField(wait.item.roles)}`;
}

function addressed({ item, runs }: WaitCard, more: Readonly<Record<string, string>> = {}) {
  const { digest, shown } = item;
  return { ...(runs.length === 1 && { run: runs[0]! }), digest, ...given({ shown }), ...more };
}

function approval(wait: WaitCard): HtmlPiece {
  const { runs, item } = wait;
  const [hidden, who] = [addressed(wait), whoFields(wait)];
  const all = button(runs.length > 1 ? `Approve in ${runs.length} runs` : 'Approve', 'approve', 'main');
  const no = html`${who}${commentField('Reason', true)}${button('Reject it', 'reject', 'bad')}`;
  return [
    item.leftOut === undefined
      ? form(hidden, html`${who}${reasonField(item.send.input['comment'] !== undefined)}${all}`)
      : html`<a class="button main" href="${runPath(item.workflowId, 'effects')}">Show all, then approve</a>`,
    folded('Reject', form(hidden, no), idIn(wait, 'reject')),
    html`<code class="stamp" title="The digest of this plan: an approval is of no other">${item.digest.slice(0, DIGITS)}</code>`,
  ];
}

const DIGITS = 8;

/** A field for the reason. It is required if an approval may repeat an effect. */
export function reasonField(isNeeded = false): HtmlPiece {
  return isNeeded ? commentField('How you know that it did not happen', true) : commentField('Comment');
}

function otherPlan(wait: WaitCard): HtmlPiece {
  const { item, runs, replans } = wait;
  if (runs.length > 1) return '';
  const wish = html`<label>What another plan should do better <textarea name="feedback" required></textarea></label>`;
  const ask = html`${roleField(item.roles)}${wish}${button('Ask for another plan', 'revise')}`;
  const edit = html`<a class="button" href="${runPath(item.workflowId, 'edit')}">Edit the plan</a>`;
  const ways = html`<p>${edit} by hand${replans && ', or ask its planner:'}</p>${replans && form(addressed(wait), ask)}`;
  return folded('Change', ways, idIn(wait, 'change'));
}

function moreWays(wait: WaitCard): HtmlPiece {
  const { item, nodes } = wait;
  if (item.kind !== 'approval' || item.send.name === 'decide') return '';
  const [hidden, who] = [addressed(wait), whoFields(wait)];
  const these = button('Approve these, and what they take', 'approve-part');
  const part = form(hidden, html`${nodeFields(nodes)}${who}${commentField('Comment')}${these}`);
  const back = form(hidden, html`${who}${button('Take it back', 'withdraw')}`);
  return [
    nodes.length > 1 && item.leftOut === undefined && folded('Approve a part', part, idIn(wait, 'part')),
    item.approvedBy !== undefined && folded('Take back your approval', back, idIn(wait, 'withdraw')),
  ];
}

function nodeFields(nodes: readonly SeenNode[]): Html {
  const boxes = nodes.map(({ id, key, summary, effect = 'read' }) => {
    return html`<label><input type="checkbox" name="nodes" value="${id}"> ${nodeLabel(given({ id, key }))}${effectChip({ effect })} ${summary}</label>`;
  });
  return html`<fieldset><legend>Nodes</legend>${boxes}</fieldset>`;
}

function question(wait: WaitCard): HtmlPiece {
  const { item, misfit } = wait;
  const { schema, suggestions, default: initial } = item;
  const field = fieldOf({ schema, suggestions, default: initial });
  // A group of fields shows no hint, since each of its fields has one.
  const hint =
    schema !== undefined && field.kind !== 'group' && !isDate(field) && html`<p class="hint">${schemaText(schema)}</p>`;
  const problem =
    misfit !== undefined &&
    misfit.field === undefined &&
    html`<p class="warning lines" role="alert">${misfit.problem}</p>`;
  const inside = html`${problem}${runFields(wait)}${hint}${fieldHtml(field, misfit)}${roleField(item.roles)}${button('Answer', 'answer', 'main')}`;
  return form(addressed(wait, { question: item.id }), inside);
}

interface Settling {
  readonly status: string;
  /** False if the form is for several nodes, which cannot all have the same result. Default: true. */
  readonly isOne?: boolean;
  /** True if an edit removed the node from the plan, so that it cannot run again. */
  readonly isRemoved?: boolean;
}

/** Forms for a node without a result. For an uncertain node, resolve is first, and running it again needs a reason. */
export function settleForms(
  hidden: Hidden,
  who: HtmlPiece,
  { status, isOne = true, isRemoved = false }: Settling,
): HtmlPiece {
  const result = fieldHtml({ ...fieldOf({}), label: 'Its result; a set is the list of its ids' });
  const comment = commentField('How you know');
  const skip = button('Go on without it', 'skip-node');
  const resolved = (outcome: string, inside: HtmlPiece) => form({ ...hidden, outcome }, html`${who}${inside}`);
  if (status === 'uncertain') {
    const again = html`${who}${reasonField(true)}${button('Run it again', 'retry-node', 'bad')}`;
    return [
      html`<div class="decide">${form(
        hidden,
        html`${who}${comment}${button('It happened', 'resolve succeeded', 'main')}${button('It did not happen', 'resolve failed')}`,
      )}</div>`,
      folded(
        'It happened, with a result',
        resolved('succeeded', html`${result}${comment}${button('It happened', 'resolve')}`),
      ),
      !isRemoved && folded('Do it once more', form(hidden, again)),
      folded('Leave it open and go on', form(hidden, html`${who}${commentField('Comment')}${skip}`)),
    ];
  }
  return [
    form(hidden, html`${who}${commentField('Comment')}${button('Run it again', 'retry-node')}${skip}`),
    isOne &&
      folded('Give its result', resolved('succeeded', html`${result}${comment}${button('It succeeded', 'resolve')}`)),
    folded('Leave it as failed', resolved('failed', html`${comment}${button('It failed', 'resolve', 'bad')}`)),
  ];
}

function goingOn(wait: WaitCard): HtmlPiece {
  const hidden = addressed(wait);
  const { ways = [] } = wait.item;
  const resume = ways.includes('resume') && button('Go on', 'resume', 'main');
  const fallback = ways.includes('fallback') && button('Go on to a plan that no model has made', 'fallback');
  const kill = html`${runFields(wait)}${commentField('Reason', true)}${button('Kill', 'kill', 'bad')}`;
  return [
    form(hidden, html`${runFields(wait)}${resume}${fallback}`),
    folded('Kill the run', form(hidden, kill), idIn(wait, 'kill')),
  ];
}
