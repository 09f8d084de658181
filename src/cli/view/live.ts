import { type RunView, countWaiting, type NodeView } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { createChanges, type Change } from './changes.ts';
import { cutColumns } from '../../plan/lines/index.ts';
import { nodeLabel } from '../../plan/outline/index.ts';
import { grouped, oneLine, tickText } from '../../plan/text/index.ts';
import { countsOf, workLines, workRows, type WorkRow } from '../../operations/words/index.ts';

export interface Live {
  see(view: RunView): void;
  note(line: string): void;
  /** Calls `write` now or, while a person answers a question, after that. */
  print(write: () => void): void;
  /** Starts (true) or ends a question. Until it ends, nothing is printed. */
  hold(on: boolean): void;
  close(): void;
}

/** Silence in ms before a summary. Each is twice as long as the previous one, up to `longest`. */
const SILENCE_MS = { first: 10_000, longest: 300_000 };

export function createLive(
  output: Pick<Output, 'note' | 'noteColumns'>,
  report: (changes: readonly Change[], view: RunView) => void,
): Live {
  const newIn = createChanges();
  let latest: RunView | undefined;
  let deferred: (() => void)[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  waitInSilence(SILENCE_MS.first);
  return {
    see(view) {
      latest = view;
      const changes = newIn(view);
      if (changes.length > 0) report(changes, view);
    },
    note: (line) => print(() => output.note(line)),
    print,
    hold(on) {
      if (on) deferred ??= [];
      else endQuestion();
    },
    close() {
      endQuestion();
      clearTimeout(timer);
    },
  };

  function print(write: () => void): void {
    if (deferred !== undefined) return void deferred.push(write);
    write();
    waitInSilence(SILENCE_MS.first);
  }

  function endQuestion(): void {
    const writes = deferred ?? [];
    deferred = undefined;
    for (const write of writes) print(write);
  }

  function waitInSilence(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (latest !== undefined && deferred === undefined)
        for (const line of progressLines(latest, output.noteColumns)) output.note(line);
      waitInSilence(Math.min(ms * 2, SILENCE_MS.longest));
    }, ms).unref();
  }
}

const NAMED = 3;

type Seen = Pick<RunView, 'status' | 'nodes' | 'attempts' | 'trouble'>;

/**
 * A line such as `running, 12 s: 3 of 8 nodes done, 2 under way, waits for a person: 1`, and below it the running
 * nodes, trouble first. Empty before the first answer of the run and after its end.
 */
export function progressLines(view: Seen, columns: number, now = Date.now()): readonly string[] {
  const { status, nodes, trouble } = view;
  if (status === undefined || status.phase === 'closed') return [];
  const { counts, paused, phase, startedAt, waits } = status;
  // If the server does not answer, its last list of attempts is outdated.
  const attempts = trouble?.code === 'no-server' ? [] : view.attempts;
  const waiting = countWaiting(status);
  const parts = [
    ...countsOf(counts, attempts),
    ...(waiting === 0 ? [] : [`waits for a person: ${grouped(waiting)}`]),
    ...(waits === undefined ? [] : [waits]),
  ];
  const silent = trouble === undefined ? '' : `no ${trouble.code === 'no-server' ? 'server' : 'worker'} answers; `;
  const state = `${paused === true ? 'paused' : phase.replace('-', ' ')}, ${tickText(now - Date.parse(startedAt))}`;
  const nodeOf = new Map(nodes.map((node) => [node.id, node]));
  const below = [
    ...workLines(status).slice(0, NAMED),
    ...workRows(view, now)
      .slice(0, NAMED)
      .map((row) => rowLine(row, nodeOf.get(row.id), columns, now)),
  ];
  const head = `${silent}${state}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  return [oneLine(head), ...below.map((line) => `  ${oneLine(line)}`)].map((line) => cutColumns(line, columns));
}

/** Text such as `node_7 Write the log: 1 min 15 s, attempt 2, heartbeat overdue in 2 s, by 4711@host`. */
function rowLine(row: WorkRow, node: NodeView | undefined, columns: number, now: number): string {
  const { id, at = node?.scheduledAt, facts } = row;
  const clock = at === undefined ? [] : [tickText(now - Date.parse(at))];
  const name = oneLine(node === undefined ? id : `${nodeLabel(node)} ${node.summary}`);
  return `${cutColumns(name, Math.floor(columns / 2))}: ${[...clock, facts].filter(Boolean).join(', ')}`;
}
