import type { CompiledPlan } from '../../plan/index.ts';
import { nodeLabel } from '../../plan/outline/index.ts';
import { counted, oneLine } from '../../plan/text/index.ts';
import { given, schemaText, type AskedEffect, type OpenItem, type SeenNode } from '../../protocol/index.ts';
import { cardOf, CARD_TITLES, fieldOf, rolesText, type CardAction } from '../../operations/words/index.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { MAX_LISTED_RUNS } from '../messages.ts';
import { nodePath, resultPath, runPath } from '../paths.ts';
import { fieldHtml, hasHint, type Misfit } from './fields.ts';
import { andMore, button, commentField, folded, form, listOf, roleField, timeOf, type Hidden } from './layout.ts';
import { valueList } from './outline.ts';
import { valuesForm } from './values.ts';
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
  /** The open plan, whose values can be changed; absent in the inbox. */
  readonly plan?: CompiledPlan | undefined;
  readonly context: readonly string[];
  /** Nodes that can be approved alone; empty in the inbox. */
  readonly nodes: readonly SeenNode[];
  readonly command: string;
  /** An answer that did not fit. */
  readonly misfit?: Misfit;
}

const RUNS_NAMED = 20;

export function waitCard(wait: WaitCard): Html {
  const { item, runs, command, alike = [], goal } = wait;
  const { kind, roles, since, deadline, signed } = item;
  const { title, lines, actions } = cardOf(item, goal && oneLine(goal));
  const many = alike.length > 1 && html` <span class="dim">${counted(alike.length, 'node')} alike</span>`;
  return html`<section class="wait ${kind}" id="${idIn(wait, 'card')}" data-item="${itemKeyOf(item)}" data-digest="${item.digest}"
    data-shown="${item.shown ?? ''}" aria-label="${CARD_TITLES[kind]} ${runs[0] ?? ''}" tabindex="-1">
    <h2>${title}${many}${runs.length > 1 && html` <span class="dim">in ${runs.length} runs</span>`}</h2>
    <p class="meta">for ${rolesText(roles)}, since ${timeOf(since)}, until ${timeOf(deadline)}${
      signed === true && ', signed messages only'
    }</p>
    ${lines.map(({ text, look = '' }) => html`<p class="lines ${look}">${look === 'sum' || text === item.bounds ? inWords(text) : text}</p>`)}
    ${alike.length > 1 && html`<p class="meta">${alike.slice(0, RUNS_NAMED).map((node) => html`<a href="${nodePath(item.workflowId, node)}">${node}</a> `)}</p>`}
    ${effectList(wait)}${kind === 'question' ? question(wait) : answersTo(wait, actions)}
    <div class="more">${kind !== 'question' && rareAnswers(wait, actions)}${folded('By command', html`<pre><code>${command}</code></pre>`, idIn(wait, 'command'))}</div>
  </section>`;
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

function whoFields(wait: WaitCard): Html {
  return html`${runFields(wait)}${roleField(wait.item.roles)}`;
}

function addressed({ item, runs }: WaitCard, more: Hidden = {}): Hidden {
  const { digest, shown } = item;
  return { ...(runs.length === 1 && { run: runs[0]! }), digest, ...given({ shown }), ...more };
}

function nodesOf({ item: { kind, nodes }, alike = nodes.slice(0, 1) }: WaitCard): Hidden {
  return kind === 'uncertain' || kind === 'failed' ? { node: alike } : {};
}

function answersTo(wait: WaitCard, actions: readonly CardAction[]): Html {
  const { item, runs } = wait;
  const hidden = addressed(wait, nodesOf(wait));
  const shown = actions
    .filter(({ fold, isRare }) => fold === undefined && isRare !== true)
    .map((one) =>
      runs.length > 1 && one.name === 'approve' ? { ...one, word: `Approve in ${runs.length} runs` } : one,
    );
  const all = html`<a class="button main" href="${runPath(item.workflowId, 'effects')}">Show all, then approve</a>`;
  const digest = html`<code class="stamp" title="The digest of this plan: an approval is of no other">${item.digest.slice(0, DIGITS)}</code>`;
  const folds = actions.filter(({ fold, takes, isRare }) => fold !== undefined && takes === undefined && !isRare);
  return html`<div class="decide">${item.leftOut !== undefined && shown[0]?.name === 'approve' ? all : pressed(hidden, whoFields(wait), shown)}
    ${folds.map((one) => foldedAction(wait, one))}${item.kind === 'approval' && [otherPlan(wait), digest]}</div>`;
}

const DIGITS = 8;

export function pressed(hidden: Hidden, who: HtmlPiece, actions: readonly CardAction[]): Html | '' {
  const [first] = actions;
  if (first === undefined) return '';
  const { reason, isReasonNeeded } = first;
  const buttons = actions.map(({ word, name, look }) => button(word, name, look));
  return form(
    hidden,
    html`${who}${takenBy(first)}${reason !== undefined && commentField(reason, isReasonNeeded)}${buttons}`,
  );
}

function takenBy({ takes }: CardAction): HtmlPiece {
  if (takes === 'value') return fieldHtml({ ...fieldOf({}), label: 'Its result; a set is the list of its ids' });
  return (
    takes === 'feedback' &&
    html`<label>What another plan should do better <textarea name="feedback" required></textarea></label>`
  );
}

function foldedAction(wait: WaitCard, action: CardAction, inside: HtmlPiece = ''): Html {
  const { fold = '', name } = action;
  const hidden = addressed(wait, nodesOf(wait));
  return folded(fold, pressed(hidden, html`${inside}${whoFields(wait)}`, [action]), idIn(wait, `${name}-more`));
}

function otherPlan(wait: WaitCard): HtmlPiece {
  const { item, runs, replans, plan, nodes } = wait;
  if (runs.length > 1) return '';
  const revise = cardOf(item).actions.filter(({ name }) => name === 'revise');
  const values =
    plan &&
    item.leftOut === undefined &&
    valuesForm(
      item.workflowId,
      plan,
      nodes.flatMap(({ id, effect = 'read' }) => (effect === 'read' ? [] : [id])),
    );
  const edit = html`<p><a class="button" href="${runPath(item.workflowId, 'edit')}">Edit the plan</a> by hand${replans && ', or ask its planner:'}</p>`;
  return folded(
    'Change',
    [values, edit, replans && pressed(addressed(wait), roleField(item.roles), revise)],
    idIn(wait, 'change'),
  );
}

function rareAnswers(wait: WaitCard, actions: readonly CardAction[]): HtmlPiece {
  const { item, nodes } = wait;
  return actions
    .filter(({ isRare }) => isRare)
    .map((one) => {
      if (one.takes === 'nodes')
        return nodes.length > 1 && item.leftOut === undefined && foldedAction(wait, one, nodeFields(nodes));
      // Several nodes cannot have the same result.
      return (one.takes !== 'value' || (wait.alike ?? []).length < 2) && foldedAction(wait, one);
    });
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
  const hint = schema !== undefined && hasHint(field) && html`<p class="hint">${schemaText(schema)}</p>`;
  const problem =
    misfit !== undefined &&
    misfit.field === undefined &&
    html`<p class="warning lines" role="alert">${misfit.problem}</p>`;
  const inside = html`${problem}${runFields(wait)}${hint}${fieldHtml(field, misfit)}${roleField(item.roles)}${button('Answer', 'answer', 'main')}`;
  return form(addressed(wait, { question: item.id }), inside);
}
