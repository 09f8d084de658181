import { counted, grouped, oneLine, cutCharacters } from '../../plan/text/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import { roundLines, type RoundView } from '../../operations/words/index.ts';
import { agentRunId, amountOf, isRecord, type Observation } from '../../protocol/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { nodePath, resultPath, runPath } from '../paths.ts';
import type { Seen } from '../watch.ts';
import { andMore, folded, listOf } from './layout.ts';
import { signOf, valueList } from './outline.ts';
import { stateWord } from './words.ts';

const SHOWN = { value: 500, calls: 20, agents: 5, steps: 5, moneyDigits: 6 };
/** Members of a decision that a round shows elsewhere, or that repeat another member. */
const ELSEWHERE = new Set(['action', 'is', 'name', 'arguments', 'objective', 'calls', 'problem']);

export function roundsPage({ workflowId, round, maxRounds, rounds }: NonNullable<OutputOf<'trace'>['loop']>): Html {
  const cards = rounds.map((one, at) => {
    const next = rounds[at + 1]?.happened;
    return html`<li>${roundCard(workflowId, one, next?.round === one.round ? next : undefined)}</li>`;
  });
  return html`<h1>Rounds of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <p>Round ${round} of at most ${maxRounds}.</p><ol class="facts">${cards.toReversed()}</ol>`;
}

/** A round as a card. @param end how the round's step ended, if known */
export function roundCard(workflowId: string, record: RoundView, end?: Observation): Html {
  const { round, line, origin = 'model', decider, decision, usage, visits = [], results = {} } = record;
  const step = `step_${round}`;
  const by = origin === 'model' ? 'The model chose' : `${origin} ${decider ?? ''} chose`;
  const decided = visits.filter(({ did }) => did === 'rewrote' || did === 'wrote').length;
  const gave = Object.entries(results).map(
    ([key, handle]) => html`<a href="${resultPath(workflowId, { node: key })}">${key}</a> gave ${amountOf(handle)}`,
  );
  const status = end?.status ?? (gave.length > 0 ? 'succeeded' : undefined);
  const failed = status !== 'succeeded' && html`${status}${end?.message !== undefined && `: ${end.message}`}`;
  const sign = status !== undefined && status !== 'rejected' && signOf({ standing: status });
  return html`<section class="box round"><div class="title"><h2>${round}. <span class="meta">${by}</span></h2>
      ${usage !== undefined && html`<span class="tail">${grouped(usage.inputTokens + usage.outputTokens)} tokens${usage.cost !== undefined && `, cost ${Number(usage.cost.toFixed(SHOWN.moneyDigits))}`}</span>`}</div>
    ${isRecord(decision) ? callOf(decision) : html`<p>${oneLine(line)}</p>`}
    ${decided > 0 && folded(counted(decided, 'stage'), html`<pre>${roundLines([{ ...record, results: {} }])}</pre>`)}
    ${status !== undefined && html`<div class="reply ${status}">${sign}${failed} ${listOf(gave, 'facts')}</div>`}
    <p class="meta"><a href="${nodePath(workflowId, step)}">why ${step}</a></p></section>`;
}

/** A policy may add members of its own to its decisions. */
function callOf(decision: Readonly<Record<string, unknown>>): HtmlPiece {
  const { calls, problem, ...one } = decision;
  if (Array.isArray(calls)) {
    const [shown, rest] = [calls.slice(0, SHOWN.calls).filter(isRecord), calls.length - SHOWN.calls];
    return [shown.map(callOf), rest > 0 && html`<p>and ${counted(rest, 'more call')}</p>`];
  }
  const { name, is, action, objective, arguments: values } = one;
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  const others = Object.entries(one).filter(([member, value]) => !ELSEWHERE.has(member) && !isEmpty(value));
  const all = [...(isRecord(values) ? Object.entries(values) : []), ...others];
  const texts = all.map(([member, value]) => ({ name: member, text: cutCharacters(textOf(value), SHOWN.value) }));
  return html`<p><b>${textOf(name ?? is ?? action ?? 'step')}</b> ${objective !== undefined && textOf(objective)}</p>
    ${texts.length > 0 && valueList(texts)}${problem !== undefined && html`<p class="warning">${textOf(problem)}</p>`}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/**
 * The agents of these nodes in the open plan, each with its last decision. In another revision, an id may be another
 * node.
 */
export function agentRuns({ agents, steps, status, workflowId }: Seen, nodes: readonly string[]): HtmlPiece {
  if (status === undefined) return '';
  const { children = [], firstRunId, revision } = status;
  const running = new Set(children.map((child) => child.workflowId));
  const isOf = (run: string, node: string) =>
    nodes.includes(node) && (running.has(run) || run === agentRunId({ workflowId, firstRunId }, revision, node));
  const own = agents.filter((agent) => isOf(agent.workflowId, agent.node));
  const parts = own.slice(0, SHOWN.agents).map((agent) => {
    const { phase, outcome, loop, waitingFor, waits } = agent.status;
    const decided = steps.filter((step) => step.workflowId === agent.workflowId).slice(-SHOWN.steps);
    const facts = [
      stateWord(outcome ?? phase),
      loop !== undefined && `, round ${loop.round}`,
      waitingFor > 0 && `, waits for a person: ${waitingFor}`,
      waits !== undefined && `, ${waits}`,
    ];
    return html`<div class="agent"><a href="${runPath(agent.workflowId)}">its agent's run</a> <span class="tail">${facts}</span>
      ${listOf(
        decided.map(({ entry }) => entry.text),
        'facts meta',
      )}</div>`;
  });
  return [parts, andMore(own.length - parts.length, 'agent')];
}
