/** Where the Temporal Web UI shows a run. */

import type { DevServer } from '../../dev-server/index.ts';

const ANSWER_WITHIN_MS = 1000;
/** The dev server's Web UI is on the port of the frontend plus this, unless it was told otherwise. */
const UI_PORT_OFFSET = 1000;

/** The address of a server's Web UI, or undefined when it has none that we know of. */
export async function webUiOf({ address, uiUrl }: Pick<DevServer, 'address' | 'uiUrl'>): Promise<string | undefined> {
  if (uiUrl !== undefined) return uiUrl;
  const [host = '', port] = address.split(':');
  const guess = `http://${host}:${Number(port) + UI_PORT_OFFSET}`;
  try {
    const page = await fetch(guess, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return page.ok ? guess : undefined;
  } catch {
    return undefined;
  }
}
