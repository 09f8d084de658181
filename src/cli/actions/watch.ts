/** `planwright watch`: follows a run until it ends. Every change is a record on stdout. */

import type { AttemptView } from '../../client/index.ts';
import { followToEnd, openChanges, type RunView } from '../../follow/index.ts';
import { folderStoreDir, withRun } from '../../project/index.ts';
import type { NodeView, RunStatus } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Duration } from '../options/index.ts';
import {
  amount,
  attemptText,
  connectionFlags,
  errorOfEnd,
  exitOfEnd,
  openLines,
  outcomeOf,
  showViews,
  type ProgressView,
} from '../showing/index.ts';
import { startWait, timeLimit } from '../wait.ts';

export interface WatchOptions {
  readonly timeout?: Duration | undefined;
}

/** What happened: the run went on to another phase, a node stands otherwise or is attempted again, or the run ended. */
type Change =
  | ({ readonly change: 'phase' } & Pick<RunStatus, 'phase' | 'outcome' | 'revision' | 'digest' | 'counts'>)
  | ({ readonly change: 'node' } & NodeView)
  | ({ readonly change: 'attempt' } & AttemptView)
  | {
      readonly change: 'end';
      readonly outcome: string;
      readonly error?: { readonly code: string; readonly message: string };
    };

export async function watch(
  options: WatchOptions & GlobalOptions,
  output: Output,
  workflowId: string,
): Promise<number> {
  const limit = timeLimit(options);
  const flags = connectionFlags(options);
  return withRun(workflowId, { storeDir: await folderStoreDir() }, async (session) => {
    const back = `come back with \`planwright watch ${workflowId}${flags}\``;
    const { signal, end: endWait } = startWait(limit, `the run ${workflowId} goes on; ${back}`);
    const told: Change[] = [];
    const tell = (change: Change) => {
      // One JSON document is printed at the end; lines are printed as they come.
      if (output.format === 'json') told.push(change);
      else output.print(change, () => lineOf(change));
    };
    const show = showViews(changesView(tell, output));
    const attempts = new Map<string, number>();
    const tellAttempt = (one: AttemptView) => {
      if (attempts.get(one.id) === one.attempt) return;
      attempts.set(one.id, one.attempt);
      tell({ change: 'attempt', ...one });
    };
    let open: RunView['open'] = [];
    try {
      const end = await followToEnd(session.run, { signal, server: session }, (view) => {
        show(view);
        for (const one of view.repeated) tellAttempt(one);
        for (const item of openChanges(open, view.open).opened) output.note(openLines(item, flags));
        ({ open } = view);
      });
      const error = errorOfEnd(workflowId, end);
      const outcome = outcomeOf(end);
      const why = error === undefined ? {} : { error: { code: error.code, message: error.message } };
      tell({ change: 'end', outcome, ...why });
      if (output.format === 'json')
        output.print({ ok: error === undefined, workflowId, outcome, changes: told, ...why }, () => '');
      return exitOfEnd(end);
    } finally {
      endWait();
    }
  });
}

function changesView(
  tell: (change: Change) => void,
  output: Output,
): Pick<ProgressView, 'phase' | 'nodes' | 'trouble'> {
  const before = new Map<string, string>();
  let phase = '';
  return {
    phase(status) {
      if (status.phase === phase) return;
      phase = status.phase;
      const { outcome, revision, digest, counts } = status;
      tell({
        change: 'phase',
        phase: status.phase,
        ...(outcome !== undefined && { outcome }),
        revision,
        digest,
        counts,
      });
    },
    nodes(nodes) {
      for (const node of nodes) {
        // What has not begun is no change.
        if (node.status === (before.get(node.id) ?? 'pending')) continue;
        before.set(node.id, node.status);
        tell({ change: 'node', ...node });
      }
    },
    trouble: (message) => output.note(`${output.paint('yellow', 'note')}: ${message}`),
  };
}

function lineOf(change: Change): string {
  if (change.change === 'phase')
    return `run ${change.phase}${change.outcome === undefined ? '' : `: ${change.outcome}`}`;
  if (change.change === 'end') return `ended: ${change.error?.message ?? change.outcome}`;
  if (change.change === 'attempt') return `${change.id}: ${attemptText(change)}`;
  const { id, status, summary, failure, cause } = change;
  const details = [summary, amount(change), failure?.message ?? '', cause === undefined ? '' : `needs ${cause}`];
  return `${id} ${status}: ${details.filter((detail) => detail !== '').join(': ')}`;
}
