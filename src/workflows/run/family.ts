/** The run of an agent and its parent: the messages between them, and the check of their sender. Pure. */

import {
  isRecord,
  type AgentInput,
  type FamilyMessage,
  type Killed,
  isDeeperThan,
  OPEN_ITEMS,
  problemOf,
  VALUE_LEVELS,
  type OpenItem,
} from '../../protocol/index.ts';
import { waitingIn } from '../views/openings.ts';
import { firstOpen } from '../views/open-items.ts';
import { note, type Run, kill } from './run.ts';
import { hearSpending, spendingNews } from './spending/family.ts';
import { grantedTo } from './spending/spend.ts';

/** A node's work is carried out by a run of its own. */
export function childBegun(run: Run, workflowId: string, work: number, word: string): void {
  // A paused run begins nothing, so this child has not been told of a pause.
  const granted = grantedTo(run, work);
  const told = granted && { toldGrant: JSON.stringify(granted) };
  run.dialogue.children.set(workflowId, { work, word, waitingFor: 0, isStarted: false, paused: false, ...told });
}

export function childStarted(run: Run, workflowId: string): void {
  const child = run.dialogue.children.get(workflowId);
  if (child !== undefined) child.isStarted = true;
  run.isNews = true;
}

/** The work is over; where it was a run of its own there is room for another agent. */
export function childEnded(run: Run, work: number): void {
  const { children } = run.dialogue;
  for (const [workflowId, child] of children) {
    if (child.work !== work) continue;
    children.delete(workflowId);
    run.isNews = true;
    run.isFreed = true;
  }
}

/** Whether it was taken: a sender that does not know the word is not heard. @param at when it came, ISO 8601 */
export function hearFamily(run: Run, message: unknown, at: string): boolean {
  if (!isRecord(message)) return false;
  const { word, waitingFor, paused, killed } = message;
  if (hearSpending(run, message, at)) return true;
  const { dialogue } = run;
  if (isKilled(killed) && dialogue.family !== undefined && word === dialogue.family.word) {
    note(run, at, 'control', `kill by ${killed.by} (${killed.comment}): the run whose task this is was killed`);
    kill(run, killed, at);
    return true;
  }
  if (typeof paused === 'boolean' && dialogue.family !== undefined && word === dialogue.family.word) {
    dialogue.parentPaused = paused;
    run.isFreed = true;
    return true;
  }
  for (const [workflowId, child] of dialogue.children) {
    if (child.word !== word || typeof waitingFor !== 'number' || !Number.isSafeInteger(waitingFor)) continue;
    child.waitingFor = Math.max(0, waitingFor);
    takeItems(run, workflowId, message['items']);
    run.isNews = true;
    return true;
  }
  return false;
}

/** A word for another run: an agent at work here, by the id of its run, or the parent. */
export interface FamilyNews {
  readonly to: string | undefined;
  readonly message: FamilyMessage;
}

/** The messages to send to other runs now; they count as told. */
export function familyNews(run: Run): readonly FamilyNews[] {
  const { dialogue } = run;
  const news: FamilyNews[] = [];
  const isPaused = dialogue.paused || dialogue.parentPaused === true;
  for (const [to, child] of dialogue.children) {
    if (!child.isStarted || child.paused === isPaused) continue;
    child.paused = isPaused;
    news.push({ to, message: { word: child.word, paused: isPaused } });
  }
  news.push(...spendingNews(run));
  const { family } = dialogue;
  if (family === undefined) return news;
  const waitingFor = waitingIn(run);
  if (!run.isNews && waitingFor === family.told) return news;
  const items = itemsToTell(run);
  // One that takes the place of another, as the plan of an edit does, is news too.
  const toldItems = JSON.stringify(
    items.map(({ workflowId, id, revision, roles }) => [workflowId, id, revision, roles]),
  );
  if (waitingFor === family.told && toldItems === family.toldItems) return news;
  Object.assign(family, { told: waitingFor, toldItems });
  news.push({ to: undefined, message: { word: family.word, waitingFor, items } });
  return news;
}

/**
 * For a run that was killed: by the id of work that is asked to stop, the message that tells the agent's run why before
 * it is stopped.
 */
export function lastWords(
  { dialogue: { children, killed } }: Run,
  stopping: readonly number[],
): ReadonlyMap<number, { readonly to: string; readonly message: FamilyMessage }> {
  const words = new Map<number, { to: string; message: FamilyMessage }>();
  if (killed === undefined) return words;
  for (const [to, { work, word, isStarted }] of children) {
    if (isStarted && stopping.includes(work)) words.set(work, { to, message: { word, killed } });
  }
  return words;
}

function isKilled(killed: unknown): killed is Killed {
  return isRecord(killed) && typeof killed['by'] === 'string' && typeof killed['comment'] === 'string';
}

export type ParsedAgentInput =
  | { readonly ok: true; readonly input: AgentInput }
  | { readonly ok: false; readonly problem: string };

/** The parent makes it; a person who starts an agent's run by hand gets the first problem told. */
export function parseAgentInput(input: unknown): ParsedAgentInput {
  if (!isRecord(input)) return refuse('expected the input that a run gives to its agents; start planWorkflow instead');
  const { task, goal, options, attempts, word, chain } = input;
  if (!isRecord(task) || typeof task['agent'] !== 'string' || typeof task['revision'] !== 'string') {
    return refuse(
      'task: expected { agent, revision, nodeId, inputs }; start planWorkflow with a plan that names the agent',
    );
  }
  if (typeof task['nodeId'] !== 'string' || !Array.isArray(task['inputs'])) return refuse('task: it names no node');
  const texts = [goal, word, chain].every((text) => typeof text === 'string');
  if (!texts || typeof attempts !== 'number' || !isRecord(options)) {
    return refuse('expected { task, goal, options, attempts, word, chain }');
  }
  const { editors = [], editTokens = [] } = input;
  if (![editors, editTokens].every((list) => Array.isArray(list) && list.every((one) => typeof one === 'string'))) {
    return refuse('editors, editTokens: expected lists of texts');
  }
  return { ok: true, input: input as unknown as AgentInput };
}

function refuse(problem: string): ParsedAgentInput {
  return { ok: false, problem: `$: ${problem}` };
}

/**
 * Characters of JSON of the items in one message; and those that a run keeps of all its agents, since they are in its snapshots. What
 * has no room is counted, and the agent's own query tells it.
 */
const TOLD_CHARACTERS = 8192;
/**
 * @bound the same of all agents of a run, as the run keeps it
 * @beyond counted; the query `questions` of each agent tells it
 */
const KEPT_CHARACTERS = 262_144;
/**
 * Items that are looked at for one message.
 * @bound things that wait in an agent's run, as it tells its parent in one signal
 * @beyond counted; its own query `questions` tells them
 */
const TOLD_ITEMS = 20;

/** The first of what is open here and in the agents at work here, as far as there is room. */
function itemsToTell(run: Run): readonly OpenItem[] {
  const told: OpenItem[] = [];
  let left = TOLD_CHARACTERS;
  for (const item of firstOpen(run, TOLD_ITEMS)) {
    left -= JSON.stringify(item).length;
    if (left < 0) break;
    told.push(item);
  }
  return told;
}

/** Takes in what waits in an agent, where it is that, is about that agent and its own, and there is room. */
function takeItems({ dialogue: { children } }: Run, workflowId: string, items: unknown): void {
  const child = children.get(workflowId);
  if (child === undefined) return;
  delete child.items;
  if (!Array.isArray(items) || items.length === 0 || items.length > TOLD_ITEMS) return;
  if (isDeeperThan(VALUE_LEVELS, items) || problemOf(OPEN_ITEMS, items) !== undefined) return;
  const isIts = ({ workflowId: id }: OpenItem) => id === workflowId || id.startsWith(`${workflowId}.`);
  const sizeOf = (list: unknown) => (list === undefined ? 0 : JSON.stringify(list).length);
  const kept = [...children.values()].reduce((sum, one) => sum + sizeOf(one.items), 0);
  const size = sizeOf(items);
  if (items.every(isIts) && size <= TOLD_CHARACTERS + TOLD_ITEMS && kept + size <= KEPT_CHARACTERS) child.items = items;
}
