/** Nothing waits for ever: what a run waits for, until when, and what happens then. */

import { fail } from './progress.ts';
import { giveUp } from './questions.ts';
import { askingNodes, expireApproval, note, type AskedQuestion, type Run } from './run.ts';
import { nodeId } from './slice.ts';

/** The nearest moment at which silence has a consequence (ISO 8601); undefined when the run waits for nobody. */
export function nextDeadline(run: Run): string | undefined {
  const { approval, questions, settling } = run;
  if (approval.phase === 'closed') return undefined;
  const open = [
    ...(askingNodes(run).length > 0 && approval.deadline !== undefined ? [approval.deadline] : []),
    ...[...questions.values()].filter(({ closing }) => !closing).map(({ deadline }) => deadline),
    ...[...settling.values()].map(({ deadline }) => deadline),
  ];
  // Times of one form sort as texts.
  return open.length === 0 ? undefined : open.reduce((least, one) => (one < least ? one : least));
}

/** Applies what silence means. Returns the questions whose default is to be stored and taken now. */
export function passDeadlines(run: Run, at: string): readonly AskedQuestion[] {
  expireApproval(run, at);
  for (const [node, { deadline }] of run.settling) {
    if (at < deadline) continue;
    run.settling.delete(node);
    const failure = run.progress?.failures.get(node);
    const status = run.progress?.status[node];
    if (run.progress === undefined || failure === undefined || (status !== 'uncertain' && status !== 'failed'))
      continue;
    fail(run.progress, node, status, failure);
    note(run, at, 'node', `${nodeId(node)} stays ${status}: nobody settled it until ${deadline}`);
  }
  const defaults: AskedQuestion[] = [];
  for (const asked of run.questions.values()) {
    if (at < asked.deadline || asked.closing) continue;
    if (asked.question.default === undefined) giveUp(run, asked, at);
    else {
      asked.closing = true;
      defaults.push(asked);
    }
  }
  return defaults;
}
