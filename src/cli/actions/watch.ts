/** `planwright watch`: follows a run until it ends. Every change is a record on stdout. */

import { storeDir } from '../../config/index.ts';
import type { NodeView, RunStatus } from '../../contract/index.ts';
import type { GlobalOptions } from '../act.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { withRun } from './connect.ts';
import { errorOfEnd } from './end-report.ts';
import { followRun, type ProgressView } from './follow-run.ts';
import { amount } from './node-lines.ts';
import { openLines } from './open-lines.ts';
import { startWait, timeLimit } from './wait.ts';

export interface WatchOptions {
  readonly timeout?: string;
}

/** What happened: the run went on to another phase, a node stands otherwise than before, or the run ended. */
type Change =
  | ({ readonly change: 'phase' } & Pick<RunStatus, 'phase' | 'outcome' | 'revision' | 'digest' | 'counts'>)
  | ({ readonly change: 'node' } & NodeView)
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
  return withRun(options, { storeDir: storeDir(process.cwd()), workflowId }, async (run, { flags }) => {
    const back = `come back with \`planwright watch ${workflowId}${flags}\``;
    const wait = startWait(limit, `the run ${workflowId} goes on; ${back}`);
    const told: Change[] = [];
    const tell = (change: Change) => {
      // One JSON document is printed at the end; lines are printed as they come.
      if (output.format === 'json') told.push(change);
      else output.print(change, () => lineOf(change));
    };
    try {
      const end = await followRun(run, {
        signal: wait.signal,
        view: changesView(tell, output),
        onOpen: async (item) => {
          output.note(openLines(item, flags));
          return 'go-on';
        },
      });
      if (end === 'left') return exitCode('waiting');
      const error = errorOfEnd(workflowId, end);
      const outcome = end.how === 'completed' ? end.result.outcome : end.how;
      const why = error === undefined ? {} : { error: { code: error.code, message: error.message } };
      tell({ change: 'end', outcome, ...why });
      if (output.format === 'json')
        output.print({ ok: error === undefined, workflowId, outcome, changes: told, ...why }, () => '');
      return error?.exitCode ?? exitCode('done');
    } finally {
      wait.end();
    }
  });
}

function changesView(tell: (change: Change) => void, output: Output): ProgressView {
  const before = new Map<string, string>();
  let phase = '';
  let trouble = '';
  return {
    phase(status) {
      trouble = '';
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
    trouble(message) {
      if (message !== trouble) output.note(`${output.paint('yellow', 'note')}: ${message}`);
      trouble = message;
    },
    note: (line) => output.note(line),
    hold: () => {},
    close: () => {},
  };
}

function lineOf(change: Change): string {
  if (change.change === 'phase')
    return `run ${change.phase}${change.outcome === undefined ? '' : `: ${change.outcome}`}`;
  if (change.change === 'end') return `ended: ${change.error?.message ?? change.outcome}`;
  const { id, status, summary, failure, cause } = change;
  const details = [summary, amount(change), failure?.message ?? '', cause === undefined ? '' : `needs ${cause}`];
  return `${id} ${status}: ${details.filter((detail) => detail !== '').join(': ')}`;
}
