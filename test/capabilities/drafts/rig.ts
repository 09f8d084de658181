import { join } from 'node:path';
import { createFileStore, type Store } from '../../../src/store/index.ts';
import { testFolder } from '../../support/folders.ts';

/** A store of its own for one test. */
export async function openStore(): Promise<Store> {
  return createFileStore(join(testFolder('drafts'), 'results'));
}

export const taskOf = (task: string) => ({ type: 'task', task });
export const planOf = (task: string, goal = 'Find genes') => ({ goal, plan: taskOf(task) });
export const BROKEN_PLAN = { goal: 'Find genes', plan: { type: 'combine', operator: 'UNION', left: taskOf('x') } };
