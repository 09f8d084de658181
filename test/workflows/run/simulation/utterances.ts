/** What people say to a simulated run, as random data that becomes words when it is known what is open. */

import fc from 'fast-check';
import {
  CONTROL_ACTIONS,
  CONTROLS,
  DECISION_KINDS,
  MESSAGE_NAMES,
  type ControlAction,
  type MessageName,
  type NodeStatus,
} from '../../../../src/protocol/index.ts';
import { edits, ROLES, type RandomEdit } from '../random-plan.ts';
import { digestOf, UNSEEN, type Spoken, type World } from './model.ts';

/** Something that a failing sequence tells as data. */
export function told<T extends object>(name: string, given: unknown, value: T): T {
  return Object.assign(value, { [fc.toStringMethod]: () => `${name} ${fc.stringify(given)}` });
}

/** What somebody says, once it is known what is open. */
export type Utterance = (world: World) => Omit<Spoken, 'update' | 'twice'> | undefined;

function toUtterance<T>(
  from: fc.Arbitrary<T>,
  name: MessageName,
  words: (world: World, given: T) => { payload: unknown; name?: MessageName; edit?: RandomEdit } | undefined,
): fc.Arbitrary<Utterance> {
  return from.map((given) =>
    told(name, given, (world: World) => {
      const said = words(world, given);
      return said === undefined ? undefined : { name, ...said };
    }),
  );
}

const people = fc.constantFrom(
  'operator',
  'reviewer',
  'auditor',
  ' OPERATOR',
  'Reviewer ',
  ...UNSEEN.map((mark) => `oper${mark}ator`),
);
const roles = fc.constantFrom(undefined, ...ROLES, 'guest');
const sender = fc.record({ by: people, role: roles, comment: fc.constantFrom(undefined, 'because') });
const aim = fc.record({
  digest: fc.constantFrom('open', 'open', 'open', 'open', 'open', 'open', 'capitals', 'other', 'before'),
  revision: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1),
});

const decisions = toUtterance(
  fc.record({
    kind: fc.constantFrom(...DECISION_KINDS, 'approve-part', 'withdraw', 'edit', 'edit'),
    sender,
    aim,
    picks: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }),
    edit: edits,
  }),
  'decide',
  (world, { kind, sender: who, aim: at, picks, edit }) => {
    // A rejection mostly ends everything.
    if (kind === 'reject' && (picks[0] ?? 0) > 1) return undefined;
    const size = world.plan.length;
    const nodes = picks.map((pick) => `node_${(pick % (size + (picks.length > 2 ? 1 : 0))) + 1}`);
    const own = { 'approve-part': { nodes }, revise: { feedback: 'shorter' }, edit: { plan: {} } } as const;
    const payload = { kind, ...defined(who), ...aimed(world, at), ...own[kind as keyof typeof own] };
    return { payload, edit };
  },
);

const approvals = toUtterance(fc.record({ sender, aim }), 'approve', (world, { sender: who, aim: at }) => ({
  payload: { ...defined(who), ...aimed(world, at) },
}));

const controls = toUtterance(
  fc.record({
    action: fc.constantFrom(...CONTROL_ACTIONS),
    node: fc.nat({ max: 8 }),
    outcome: fc.constantFrom('succeeded', 'failed'),
    sender,
    digest: fc.boolean(),
    fits: fc.boolean(),
  }),
  'control',
  (world, { action, node: pick, outcome, sender: who, digest, fits }) => {
    // It ends everything.
    if (action === 'kill' && pick > 2 && world.run.execution !== undefined) return undefined;
    const status = world.run.execution?.progress.status ?? [];
    const fitting = fits ? status.flatMap((one, node) => (FITS[action]?.includes(one) === true ? [node] : [])) : [];
    const node = fitting[pick % Math.max(1, fitting.length)] ?? pick % (world.plan.length + 1);
    const about = CONTROLS[action].node === 'none' ? {} : { node: `node_${node + 1}` };
    const resolve = action === 'resolve' ? { outcome, ...(outcome === 'succeeded' && { value: node }) } : {};
    const plan = digest ? { digest: digestOf(world.plans).slice(0, 8) } : {};
    return { payload: { action, ...about, ...resolve, ...defined(who), ...plan } };
  },
);

/** Nodes that an action is mostly meant for. */
const FITS: Partial<Record<ControlAction, readonly NodeStatus[]>> = {
  'cancel-node': ['running'],
  'retry-node': ['failed', 'cancelled', 'uncertain'],
  resolve: ['failed', 'uncertain'],
};

const answers = toUtterance(
  fc.record({ pick: fc.nat({ max: 5 }), value: fc.nat({ max: 2 }), sender }),
  'answer',
  (world, { pick, value, sender: who }) => {
    const { questions, answered } = world.run.state;
    const ids = [...Object.keys(questions), ...Object.keys(answered), '00000001.node_1'];
    return { payload: { question: ids[pick % ids.length], value, ...defined(who) } };
  },
);

const junk = toUtterance(
  fc.record({
    name: fc.constantFrom(...MESSAGE_NAMES),
    value: fc.jsonValue({ maxDepth: 2 }),
    key: fc.constantFrom(
      ...['kind', 'digest', 'by', 'role', 'nodes', 'action', 'node', 'question', 'revision', 'plan', '__proto__', '$'],
    ),
    whole: fc.boolean(),
  }),
  'decide',
  (world, { name, value, key, whole }) => {
    const good = { digest: digestOf(world.plans), by: 'operator', ...(name === 'decide' && { kind: 'approve' }) };
    const own = Object.defineProperty({ ...good }, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
    return { name, payload: whole ? value : own };
  },
);

export const utterances = fc.oneof(
  { weight: 8, arbitrary: decisions },
  { weight: 1, arbitrary: approvals },
  { weight: 4, arbitrary: controls },
  { weight: 2, arbitrary: answers },
  { weight: 1, arbitrary: junk },
);

/** How a message comes: once as a signal or as an update, or as both, left by a sender who was not sure. */
export const ways = fc.constantFrom<readonly boolean[]>([false], [true], [true], [true, false], [false, true]);

/** Nobody says the same twice in one breath, other than in two ways. */
export function spokenIn(world: World, said: readonly (readonly [Utterance, readonly boolean[]])[]): Spoken[] {
  const texts = new Set<string>();
  return said.flatMap(([utter, way]) => {
    const spoken = utter(world);
    const text = JSON.stringify([spoken?.name, spoken?.payload]);
    if (spoken === undefined || texts.has(text)) return [];
    texts.add(text);
    return [{ ...spoken, update: way[0] === true, twice: way.length > 1 }];
  });
}

function aimed({ run, plans: count }: World, { digest, revision }: { digest: string; revision: number | undefined }) {
  const open = run.state.approval.digest === '' ? digestOf(count) : run.state.approval.digest;
  const digests: Record<string, string> = {
    open: open.slice(0, 8),
    capitals: open.toUpperCase(),
    other: 'f'.repeat(8),
    before: digestOf(Math.max(1, count - 1)),
  };
  return defined({
    digest: digests[digest],
    shown: run.state.approval.shown,
    revision: revision === undefined ? undefined : Math.max(1, run.state.approval.revision + revision),
  });
}

export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
