/** The plan of `start.json` as one writes it by hand: a workflow with signals, a query and an activity for each step. */

import {
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from './activities.ts';
import type { Invoice } from './world.ts';

const { readOrder, readDelivery } = proxyActivities<Activities>({ startToCloseTimeout: '5 seconds' });
const { writeReceipt } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute' });
/** Money has one attempt: nobody knows whether one that was lost has paid. */
const { pay } = proxyActivities<Activities>({ startToCloseTimeout: '5 seconds', retry: { maximumAttempts: 1 } });

const PEOPLE = 2;

export async function payByHand(invoice: Invoice): Promise<string> {
  const approvers = new Set<string>();
  let isOpen = false;
  setHandler(defineSignal<[{ by: string }]>('approve'), ({ by }) => void approvers.add(by));
  setHandler(defineSignal<[Invoice]>('edit'), (changed) => {
    invoice = changed;
    approvers.clear();
  });
  setHandler(defineQuery('status'), () => ({ isOpen, invoice, approvers: [...approvers] }));

  const [ordered, delivered] = await Promise.all([readOrder(), readDelivery()]);
  const arrived = new Set(delivered);
  const items = ordered.filter((item) => arrived.has(item));
  setCurrentDetails(`Pay ${invoice.amount} to ${invoice.to} for ${items.length} items? Two people send \`approve\`.`);
  isOpen = true;
  await condition(() => approvers.size >= PEOPLE);
  isOpen = false;
  return writeReceipt(await pay(invoice));
}

/** Questions that are open at once; their answers are printed. */
export async function askByHand(questions: readonly string[]): Promise<string> {
  const answers = new Map<string, number>();
  setHandler(defineSignal<[{ question: string; value: number }]>('answer'), ({ question, value }) => {
    answers.set(question, value);
  });
  await condition(() => questions.every((question) => answers.has(question)));
  return writeReceipt(questions.map((question) => answers.get(question)).join(', '));
}
