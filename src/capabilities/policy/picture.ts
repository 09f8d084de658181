import { groupsBy } from '../../plan/index.ts';
import type { Origin } from '../../protocol/index.ts';
import type { Policy } from './policy.ts';
import { STAGE_KINDS } from './stage.ts';

/** An exit of a stage: where it leads, and its condition. */
export interface Exit {
  readonly from: string;
  readonly to: string;
  /** The condition; absent if the stage has only one exit. */
  readonly label?: string;
}

const START = 'START';
const END = 'END';
const TICK = 'tick';
const DISPATCH = 'dispatch';

/**
 * Lists every path through a round of a policy, in the order of its stages. The names are those of the definition and
 * of the trace.
 * @example exitsOf(policy).filter(({ from }) => from === 'g_region'); // [{ ..., to: 'dispatch', label: 'decides' }, ...]
 */
export function exitsOf(policy: Policy): readonly Exit[] {
  const { stages, actions, tick } = policy;
  const before = stages.filter(({ kind }) => kind !== 'correct');
  const first = before[0]?.name ?? DISPATCH;
  const exits: Exit[] = [];
  const add = (from: string, to: string, label?: string) =>
    exits.push({ from, to, ...(label !== undefined && { label }) });
  const begin = tick === undefined ? START : TICK;
  if (tick !== undefined) add(START, TICK);
  addBeginning(begin, first, policy, add);
  before.forEach(({ name, kind }, at) => {
    const next = before[at + 1]?.name;
    const { origin } = STAGE_KINDS[kind];
    const goesOn = kind !== 'decide';
    if (origin !== undefined) add(name, correctorFor(origin), goesOn ? 'decides' : undefined);
    if (goesOn && next !== undefined) add(name, next, origin === undefined ? undefined : 'passes');
  });
  stages.forEach((stage, at) => {
    if (stage.kind !== 'correct') return;
    const ways = groupsBy(stage.origins, (origin) => correctorFor(origin, at + 1));
    for (const [to, origins] of ways) add(stage.name, to, ways.size === 1 ? undefined : origins.join(', '));
  });
  for (const [name, { ends }] of actions) {
    add(DISPATCH, name, name);
    add(name, ends === true ? END : START);
  }
  const unique = new Map(exits.map((exit) => [JSON.stringify(exit), exit]));
  return [...unique.values()];

  function correctorFor(origin: Origin, from = 0): string {
    const next = stages.find((stage, at) => at >= from && stage.kind === 'correct' && stage.origins.includes(origin));
    return next?.name ?? DISPATCH;
  }
}

/** Adds the paths from the start of a round to its first stage, through observers and around conditional stages. */
function addBeginning(
  begin: string,
  first: string,
  { observers, actions }: Policy,
  add: (from: string, to: string, label?: string) => void,
): void {
  const ways = new Map<string, { readonly from: string; readonly to: string; readonly after: string[] }>();
  for (const [action, { ends }] of actions) {
    const taking = observers.filter(({ after }) => ends !== true && after.includes(action));
    [begin, ...taking.map(({ name }) => name)].forEach((from, at) => {
      const rest = taking.slice(at);
      const always = rest.findIndex(({ when }) => when === undefined);
      const next =
        always < 0 ? [...rest.map(({ name }) => name), first] : rest.slice(0, always + 1).map(({ name }) => name);
      for (const to of next) {
        if (from === begin && to === first) continue;
        const way = ways.get(`${from} ${to}`) ?? { from, to, after: [] };
        way.after.push(action);
        ways.set(`${from} ${to}`, way);
      }
    });
  }
  add(begin, first, ways.size === 0 ? undefined : 'otherwise');
  for (const { from, to, after } of ways.values()) {
    const isOneWay = from !== begin && [...ways.values()].filter((way) => way.from === from).length === 1;
    add(from, to, isOneWay ? undefined : `after ${after.join(', ')}`);
  }
}

/**
 * Draws a policy as a Mermaid flowchart.
 * @example writeFileSync('policy.mmd', policyPicture(policy));
 */
export function policyPicture(policy: Policy): string {
  const { stages, observers, actions, tick } = policy;
  const lines = ['flowchart TD', `  ${START}([${START}])`];
  if (tick !== undefined) lines.push(`  ${TICK}[${boxed(TICK, `begins a round; writes ${tick.writes.join(', ')}`)}]`);
  for (const { name, kind, about, writes = [] } of stages) {
    const [open, close] = STAGE_KINDS[kind].box;
    const note = [kind, about, writes.length === 0 ? undefined : `writes ${writes.join(', ')}`];
    lines.push(`  ${name}${open}${boxed(name, note.filter((one) => one !== undefined).join('; '))}${close}`);
  }
  lines.push(`  ${DISPATCH}{${DISPATCH}}`);
  for (const [name, { about }] of actions) lines.push(`  ${name}(${boxed(name, about)})`);
  for (const { name, about } of observers) lines.push(`  ${name}[/${boxed(name, about)}/]`);
  lines.push(`  ${END}([${END}])`);
  for (const { from, to, label } of exitsOf(policy)) {
    lines.push(`  ${from} -->${label === undefined ? '' : `|${text(label)}|`} ${to}`);
  }
  return `${lines.join('\n')}\n`;
}

function boxed(name: string, about: string | undefined): string {
  return `"${text(name)}${about === undefined || about === '' ? '' : `<br/>${text(about)}`}"`;
}

function text(value: string): string {
  return value.replaceAll(/["#<>&|[\]{}`\n]/g, (one) => `#${one.charCodeAt(0)};`);
}
