/** Somebody says something to a simulated run, or says it again because no answer came. */

import { previewRefusal, receive } from '../../../../src/workflows/run/talk/inbox.ts';
import { REFUSES, waiting } from '../make-run.ts';
import { essenceOf } from './invariants.ts';
import { count, hold, now, type Sent, type Spoken, type World } from './model.ts';
import { advance, pressureNow } from './turns.ts';

/** Says something, and sees that it is either refused and without effect, or taken and on record. */
export function say(world: World, ...spoken: readonly Spoken[]): void {
  if (world.ended || spoken.length === 0) return;
  const { run, history } = world;
  const [first] = spoken;
  const isAtRest =
    spoken.length === 1 &&
    first?.twice !== true &&
    world.rest?.ms === world.ms &&
    world.rest.pressure === pressureNow(world, 1);
  const before = essenceOf(run);
  const told = first !== undefined && isAtRest ? previewOf(world, first) : undefined;
  const sent = spoken.map((one) => receiveFrom(world, one));
  advance(world);
  if (!isAtRest || world.history !== history) return;
  const reply = sent[0]?.reply;
  hold('what was told beforehand', reply?.ok === false ? reply.refusal : undefined, told?.refusal);
  const isNothing = reply?.ok === false || sent[0]?.isNoEvent === true;
  if (isNothing) hold('a refusal changes nothing', essenceOf(world.run), before);
}

/** What would be refused, with no trace of the question. */
function previewOf(world: World, { name, payload }: Spoken) {
  const { run } = world;
  const before = essenceOf(run) + run.state.trace.last;
  const told = previewRefusal(run, { name, payload, at: now(world) }, REFUSES);
  hold('what is only asked changes nothing', essenceOf(run) + run.state.trace.last, before);
  return told;
}

function receiveFrom(world: World, { name, payload, edit, update, twice }: Spoken): Sent {
  const { run, history } = world;
  const at = now(world);
  const as = update || twice === true ? { update: `update ${world.sent.size}` } : {};
  const id = receive(run, { name, payload, at, ...as });
  const sent: Sent = {
    ...{ name, payload, at, ...as, ...(edit !== undefined && { edit }) },
    turn: world.turn,
    history: history.number,
    kept: false,
    waiting: 1,
  };
  hold('an id of its own', world.sent.has(id), false);
  world.sent.set(id, sent);
  history.events += 1;
  if (twice === true) {
    const again = receive(run, { name, payload, at, ...as });
    hold('what came in two ways is one message', again, id);
    history.events += 1;
    count(world, 'twin');
  }
  return sent;
}

/** In a new history the sender of an update who got no answer, or has lost it, sends it again. */
export function sendAgain(world: World, pick: number): void {
  const { run, history } = world;
  const lost = [...world.sent].filter(
    ([, sent]) => sent.update !== undefined && sent.again === undefined && sent.history < history.number,
  );
  // Who got no answer at all asks first.
  const unanswered = lost.filter(([, { reply, kept }]) => reply === undefined && !kept);
  const from = unanswered.length > 0 ? unanswered : lost;
  const [known, one] = from[pick % Math.max(1, from.length)] ?? [];
  if (world.ended || known === undefined || one?.update === undefined) return;
  const { name, payload, update } = one;
  one.history = history.number;
  const [before, early] = [essenceOf(run), waiting(run, 'plan').length];
  const isAtRest = world.rest?.ms === world.ms && world.rest.pressure === pressureNow(world, 1);
  const id = receive(run, { name, payload, at: now(world), update });
  history.events += 1;
  if (one.reply === undefined && !one.kept) {
    hold('it is the message that it was', id, known);
    one.waiting += 1;
    count(world, 'sent again, to be answered');
    advance(world);
    return;
  }
  const again: Sent = { ...one, at: now(world), turn: world.turn, waiting: 1, again: one };
  delete again.reply;
  world.sent.set(id, again);
  advance(world);
  hold('it is answered at once', again.waiting, 0);
  count(world, 'sent again, answered as before');
  if (isAtRest && world.history === history) {
    hold('it does nothing', [essenceOf(world.run), waiting(world.run, 'plan').length], [before, early]);
  }
}
