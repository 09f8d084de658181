/** What a turn tells: replies, each checked against what is on record and remembered by the model, and work to begin. */

import { type Decision, type Reply, type TraceEntry, MAX_PLANS } from '../../../../src/protocol/index.ts';
import { progressOf } from '../make-run.ts';
import { applyEdit } from '../random-plan.ts';
import { checkOnRecord, checkRefused, isEffectUnused, isTaken } from './invariants.ts';
import {
  count,
  digestOf,
  hold,
  isAskedTwice,
  isCovered,
  remember,
  type Flight,
  type Sent,
  type World,
} from './model.ts';

/** Goes through the replies of a turn in order, and beside them through what is on record since the last. */
export function hearReplies(
  world: World,
  replies: readonly { readonly message: number; readonly reply: Reply }[],
): void {
  const entries = newEntries(world);
  for (const { message, reply } of replies) {
    const sent = world.sent.get(message);
    if (sent === undefined) throw new Error(`a reply to ${message}, which nobody has sent`);
    sent.waiting = 0;
    if (sent.again !== undefined) {
      hold('the reply to what was sent again', reply, rememberedOf(sent.again.reply) ?? KEPT);
      continue;
    }
    hold('each is replied to once', sent.reply, undefined);
    if (!reply.ok) refused(world, sent, reply, entries.shift());
    else if (reply.kept === true) {
      hold('it is kept once', sent.kept, false);
      sent.kept = true;
    } else taken(world, sent, reply, entries);
  }
  hold('nothing is on record that nobody was told of', entries, []);
}

/** Of a refused plan the run does not remember the issues. */
function rememberedOf(reply: Reply | undefined): Reply | undefined {
  if (reply === undefined || reply.ok || reply.issues === undefined) return reply;
  const { issues: _, reason, ...rest } = reply;
  return {
    ...rest,
    reason: `${reason} Its issues went to whoever sent it first; \`planwright compile\` has them too.`,
  };
}

const KEPT = { ok: true, reply: 'kept until the plan is compiled', kept: true };

/** What is on record about people since this was looked at last. */
function newEntries(world: World): TraceEntry[] {
  const { entries, last } = world.run.state.trace;
  const { looked } = world;
  world.looked = last;
  return entries.filter(
    ({ seq, what, said }) =>
      seq > looked &&
      ['decision', 'control', 'answer', 'refused'].includes(what) &&
      !(what === 'answer' && said?.['by'] === 'its default') &&
      // What the store has refused, nobody has said.
      !(what === 'refused' && said === undefined),
  );
}

function refused(world: World, sent: Sent, reply: Extract<Reply, { ok: false }>, entry: TraceEntry | undefined): void {
  const late = sent.turn === world.turn ? '' : 'late ';
  sent.reply = reply;
  checkRefused(reply);
  count(world, `refused ${late}${reply.refusal}`);
  hold(
    'the refusal on record',
    [entry?.what, entry?.what === 'refused' && entry.said?.refusal],
    ['refused', reply.refusal],
  );
}

function taken(world: World, sent: Sent, reply: Reply, entries: TraceEntry[]): void {
  const { name } = sent;
  const payload = sent.payload as Record<string, unknown>;
  const { kind = name, action, node: id } = payload;
  const what = name === 'answer' || name === 'control' ? name : 'decision';
  const [entry] = entries;
  const isOnRecord = entry?.what === what && isOf(entry, payload);
  sent.reply = reply;
  if (!isOnRecord) {
    // To say again what is so already is no event.
    hold('what leaves no record', name, what === 'answer' ? 'answer' : 'control');
    sent.isNoEvent = true;
    count(world, `so already ${what === 'control' ? String(action) : name}`);
    return;
  }
  entries.shift();
  count(world, `taken ${String(action ?? kind)}`);
  checkOnRecord(world, sent, entry);
  if (action === 'retry-node') {
    const node = Number(String(id).slice('node_'.length)) - 1;
    const key = world.plan[node]?.key ?? '';
    world.started.delete(key);
    if (isAskedTwice(world, node)) world.stands.delete(key);
  }
  if (action === 'kill') {
    hold('a killed run is over at once', world.run.state.approval.closed?.outcome, 'aborted');
  }
  if (what === 'decision') remember(world, { ...payload, kind } as unknown as Decision);
}

function isOf(entry: TraceEntry, payload: Record<string, unknown>): boolean {
  const said: Readonly<Record<string, unknown>> = { ...entry.said };
  return ['action', 'node', 'question'].every((key) => said[key] === payload[key]) && said['by'] === byOf(payload);
}

function byOf({ by }: Record<string, unknown>): string {
  return String(by).trim();
}

/** Work begins that a turn has named. */
export function begin(world: World, id: number): void {
  const work = world.run.tasks[id];
  hold('an id of its own', world.flights.has(id), false);
  switch (work?.kind) {
    case 'draft':
      world.flights.set(id, { id, kind: 'draft', stopped: false });
      return;
    case 'plan': {
      const { planning, approval } = world.run.state;
      hold('the plan that is made anew is the open one', planning?.anew?.digest, approval.digest);
      hold('plans that are made anew are bounded', (planning?.plans ?? 0) <= MAX_PLANS, true);
      world.flights.set(id, { id, kind: 'plan', stopped: false });
      count(world, `planned anew: ${planning?.stage}`);
      return;
    }
    case 'node':
      start(world, id, work.node, work.part);
      return;
    case 'default':
      world.flights.set(id, { id, kind: 'default', value: work.request.value, stopped: false });
      return;
    case 'message': {
      const { message, request } = work;
      const { at } = world.run.state.inbox.find(({ id: own }) => own === message)!;
      hold('nobody has answered it', world.sent.get(message)?.reply, undefined);
      const value = request.do === 'store' ? { value: request.value } : {};
      const isEdit = request.do === 'compile' || request.do === 'revise';
      const edited = isEdit ? editedBy(world, message) : {};
      const planned = request.do === 'revise' ? { isPlanned: true as const } : {};
      const keys = request.do === 'keys' ? { asksKeys: true as const } : {};
      if (request.do === 'keys') count(world, 'asked for keys');
      const more = { ...value, ...edited, ...planned, ...keys };
      world.flights.set(id, { id, kind: 'message', at, ...more, stopped: false });
      return;
    }
    default:
      throw new Error(`what begins is ${work?.kind ?? 'nothing'}`);
  }
}

/** An edit is made from the plan that is open when it is compiled. */
function editedBy(world: World, message: number): Pick<Flight, 'edited'> {
  world.plans += 1;
  const { edit = KEEP } = world.sent.get(message) ?? {};
  return { edited: { ...applyEdit(world.plan, edit, world.plans), digest: digestOf(world.plans) } };
}

const KEEP = { fates: ['keep'], places: [], added: [], after: [] } as const;

function start(world: World, id: number, node: number, part?: string): void {
  const { run, plan, started, flights } = world;
  const { key = '', effect = 'read', inputs = [], resource } = plan[node] ?? {};
  hold(`${key} is started with approval`, isCovered(world, node), true);
  hold(`${key} is started once more`, started.has(key), false);
  hold(`${key} is started while its plan is made anew`, run.state.planning === undefined, true);
  hold(`${key} overtakes an effect`, effect !== 'read' && isEffectUnused(world), false);
  hold(`${key} writes to what another writes to`, resource !== undefined && isTaken(world, resource), false);
  const { handles } = progressOf(run);
  hold(
    `${key} has its inputs`,
    inputs.every((input) => handles[input] !== undefined || (part !== undefined && partOf(run, input) === part)),
    true,
  );
  hold(`${key} may go in a part`, part !== undefined && (effect !== 'read' || resource !== undefined), false);
  started.add(key);
  const more = { ...(resource !== undefined && { resource }), ...(part !== undefined && { part }) };
  flights.set(id, { id, kind: 'node', key, effect, ...more, stopped: false });
  if (part !== undefined) count(world, 'started in a part');
  count(world, 'started');
  if (effect !== 'read') count(world, 'started above read');
}

function partOf({ tasks }: World['run'], node: number): string | undefined {
  for (const one of Object.values(tasks)) if (one.kind === 'node' && one.node === node) return one.part;
  return undefined;
}
