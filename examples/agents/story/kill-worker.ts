/** Kills the worker when replies are bought and kept, and nobody has heard of them. */

import type { DemoWorker, Stage } from '../../stage/index.ts';
import { heldReplies, readModelLedger, type CallKill, type ModelEntry } from '../../from-goal/index.ts';

export interface WorkerWatch {
  /** Looks whether this is the moment. */
  look(ledger: readonly ModelEntry[]): Promise<void>;
  /** Absent until there was one. */
  readonly kill: CallKill | undefined;
  /** The one that is there now. */
  readonly worker: DemoWorker;
}

/** Both researchers have asked for a step, and one of them for its second: the middle of what they do. */
function isInTheMiddle(ledger: readonly ModelEntry[]): boolean {
  const tasks = ledger.flatMap((entry) => (entry.what === 'asked' && entry.wants === 'step' ? [entry.task] : []));
  return tasks.length > 2 && new Set(tasks).size > 1;
}

export function watchWorker(stage: Stage, first: DemoWorker, wantsKill: boolean): WorkerWatch {
  const { screen, modelFile } = stage;
  const { paint } = screen;
  let worker = first;
  let kill: CallKill | undefined;
  return {
    get kill() {
      return kill;
    },
    get worker() {
      return worker;
    },
    async look(ledger) {
      if (!wantsKill || kill !== undefined || !heldReplies(ledger)?.length || !isInTheMiddle(ledger)) return;
      const { pid } = worker;
      await worker.kill();
      const unheard = unheardIn(readModelLedger(modelFile));
      kill = { pid, unheard };
      const many = unheard === 1 ? '1 reply was bought' : `${unheard} replies were bought`;
      screen.say('', `${paint('red', `worker ${pid} killed`)} with SIGKILL: ${many}, nobody was told`);
      worker = await stage.startWorker();
      screen.say(
        `${paint('green', `worker ${worker.pid} started`)}; what was under way is overdue after 10 s of silence`,
        '',
      );
    },
  };
}

function unheardIn(ledger: readonly ModelEntry[]): number {
  const heard = new Set(ledger.flatMap((entry) => (entry.what === 'handed-on' ? [entry.name] : [])));
  return ledger.filter((entry) => entry.what === 'journaled' && !heard.has(entry.name)).length;
}
