/** The result store of a project. */

import type { Encryption } from '../index.ts';
import type { OpenedStore } from '../../store/index.ts';

/**
 * The store that a text names; with encryption nothing stands in it in clear. The keys are read with its first call: a project is
 * opened also by those who have none.
 */
export async function openStore(text: string, encryption?: Encryption): Promise<OpenedStore> {
  const { encryptedStore, openStore: open } = await import('../../store/index.ts');
  if (encryption === undefined) return open(text);
  const { encryptionKeys } = await import('../index.ts');
  return encryptedStore(open(text), () => encryptionKeys(encryption));
}
