import { Context, getClient } from '@temporalio/activity';
import { doneNames, readFinished } from '../../activities/run-records.ts';
import { readPlan, revisionOf } from '../../activities/revision.ts';
import { createRunHandle } from '../../client/create-run-handle.ts';
import { jsonIn } from '../../plan/text/index.ts';
import type { Owner } from '../../protocol/index.ts';
import { makeStatement, RECEIPT_PARTS, receiptSigner, sealReceipt } from '../../protocol/identity/index.ts';
import type { IdentityConfig, ReceiptView, Statement } from '../../protocol/identity/index.ts';
import { hashOf, inParallel, putReceipt, resultsIn, runScope, selfIn, type Store } from '../../store/index.ts';
import type { WorkerOptions } from '../../worker/index.ts';

const AT_ONCE = 32;

/**
 * For `createWorker`: signs a receipt of each run (docs/receipts.md).
 * @param privateKey PEM text; `identity.receiptKeys` has its public part
 * @throws IdentityError if the public part is missing there
 * @example createWorker({ ...place, registry, store, identity, receipts: openReceipts(store, pem, identity) });
 */
export function openReceipts(
  store: Store,
  privateKey: string,
  identity?: IdentityConfig,
): NonNullable<WorkerOptions['receipts']> {
  const signer = receiptSigner(privateKey, identity);
  return async (run) => {
    // The server's time, since the run cannot choose it, and each attempt must sign the same time.
    const at = new Date(Context.current().info.scheduledTimestampMs).toISOString();
    const place = { namespace: run.namespace, address: '', taskQueue: '' };
    const handle = createRunHandle({ client: getClient(), store, place }, run.workflowId, run.runId);
    const statement = await statementOf(await handle.view(RECEIPT_PARTS), run, store, at);
    // A repeated attempt makes the same bytes.
    await putReceipt(store, run, at, Buffer.from(JSON.stringify(sealReceipt(statement, signer))));
  };
}

/** The statement of a run. @param at when the run ended; absent while it is open */
export async function statementOf(
  view: ReceiptView,
  run: Owner & { readonly runId?: string },
  store: Store,
  at?: string,
): Promise<Statement> {
  const own = resultsIn(store, runScope(run));
  const plan = await readPlan(own, view.status.digest);
  const names = (await doneNames(own, run)).toSorted();
  const entries = await inParallel(AT_ONCE, names, (name) => own.entry(`${selfIn(run)}/done/${name}`));
  const records = entries.flatMap((entry, place) => {
    const { executor, inputs, handle, retry, at: ended } = readFinished(jsonIn(entry ?? '')) ?? {};
    const [binding = ''] = names[place]!.split('-');
    return executor === undefined || handle === undefined
      ? []
      : [{ binding, executor, inputs, handle, retry, at: ended }];
  });
  const labels = view.nodes.map(({ executor }) => executor);
  const { bindingOf } = revisionOf(plan, { digest: plan.digest, labels, labelOf: [...labels.keys()] });
  return makeStatement(view, run, plan, (id) => hashOf(bindingOf(id) ?? ''), records, at);
}
