import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DraftAnswer } from '../../../src/capabilities/builtin/drafts/index.ts';
import { createFileStore, type Store } from '../../../src/store/index.ts';

/** A store of its own for one test. */
export async function openStore(): Promise<Store> {
  const dir = await mkdtemp(join(tmpdir(), 'planwright-drafts-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return createFileStore(join(dir, 'results'));
}

export const taskOf = (task: string) => ({ type: 'task', task });
export const planOf = (task: string, goal = 'Find genes') => ({ goal, plan: taskOf(task) });
export const BROKEN_PLAN = { goal: 'Find genes', plan: { type: 'combine', operator: 'UNION', left: taskOf('x') } };

export function given<Given>(answer: DraftAnswer<Given>): Given {
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}
