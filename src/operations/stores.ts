import type { ConnectedClient } from '../client/index.ts';
import { connect } from '../config/project/index.ts';
import { wrongUsage } from './operation-error.ts';
import { countField, flagField, IN_PROJECT, MAY_ACT, operation } from './operation.ts';

/**
 * Copies every item to the second store. Names damaged items, and keys that have other content there, which it does not
 * overwrite; then exits 1. Repeat the command after an interruption. With keys in the config the copy is encrypted.
 * JSON: `{"ok","from","to","amounts","problems","problemCount"}`.
 */
export const copyStore = operation({
  command: { words: 'store copy <from> <to>', place: ['config', 'timeout'] },
  does: 'Copy a result store to another one, of any kind.',
  readOnly: false,
  input: (z) =>
    z.object({
      from: z.string().describe('a folder, postgres://... or s3://...'),
      to: z.string().describe('the same'),
    }),
  async run(plans, { from, to }, waiting) {
    const [first, second] = [await plans.storeAt(from, 'read'), await plans.storeAt(to, 'write')];
    const copied = await (await import('./upkeep/read-store.ts')).copyItems(first, second, waiting);
    return { from: first.place, to: second.place, ...copied };
  },
});

/**
 * Shows what a result store contains: runs, conversations, documents for future runs, and other items, with their
 * bytes, and the 20 largest. The store is that of `--store`, the config or `PLANWRIGHT_STORE`
 * (docs/operations.md#the-result-store).
 *
 * With `--remove` it removes what no server knows any more (docs/decisions/store.md has the rules). If a server does
 * not answer, or does not know a run that it should, nothing is removed (`NOT_CLEARED`). JSON:
 * `{"ok","store","runs","goneRuns","notAsked","amounts","largest","removable","removed"?}`.
 */
export const collectStore = operation({
  command: { words: 'store gc', place: [...IN_PROJECT, 'timeout'], from: { also: 'words', gone: 'words' } },
  does: 'Remove results of runs that no server knows any more.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      remove: z.boolean().default(false).describe('remove it; without this nothing is'),
      dryRun: flagField(z, 'remove nothing, which is the default'),
      also: z
        .array(z.string())
        .default([])
        .describe('another namespace whose runs use the store: a profile of the Temporal config file'),
      gone: z.array(z.string()).default([]).describe('a namespace that used the store, and is gone for good'),
      deleted: z.boolean().default(false).describe('runs that the server should still know were deleted by somebody'),
      olderThan: countField(z, 'conversations too that nothing was added to for so many days'),
    }),
  async run(plans, { also, dryRun, ...options }, waiting) {
    if (dryRun === true && options.remove) throw wrongUsage('give --remove or --dry-run, not both');
    const store = await plans.store();
    const { collect } = await import('./upkeep/collect.ts');
    const session = await plans.session();
    const others: ConnectedClient[] = [];
    try {
      for (const profile of also) others.push(await connect({ profile }, (await plans.project())?.encryption));
      return { store: store.place, ...(await collect(store, [session, ...others], { ...options, ...waiting })) };
    } finally {
      for (const one of others) await one.close();
    }
  },
});
