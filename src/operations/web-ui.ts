/** Where the Web UI of a Temporal server shows a run. */

/** A dev server puts its Web UI on the port of the server plus this, unless it is told otherwise. */
const UI_OFFSET = 1000;
const UI_WITHIN_MS = 1000;
const PAGE_WITHIN_MS = 500;

/** The address of a server's Web UI, or undefined when it has none that we know of. */
export async function webUiOf({
  address,
  uiUrl,
}: {
  readonly address: string;
  readonly uiUrl?: string;
}): Promise<string | undefined> {
  if (uiUrl !== undefined) return uiUrl;
  const [host = '', port] = address.split(':');
  const guess = `http://${host}:${Number(port) + UI_OFFSET}`;
  // Another program on that port does not answer this.
  return (await isThere(`${guess}/api/v1/cluster-info`, UI_WITHIN_MS)) ? guess : undefined;
}

/** The page of a run; undefined unless a Web UI on this machine really shows this run. */
export async function runPageOf(
  { address, namespace }: { readonly address: string; readonly namespace: string },
  workflowId: string,
): Promise<string | undefined> {
  const [, host, port] = /^(127\.0\.0\.1|localhost):(\d+)$/.exec(address) ?? [];
  if (host === undefined) return undefined;
  const path = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const base = `http://${host}:${Number(port) + UI_OFFSET}`;
  return (await isThere(`${base}/api/v1/${path}`, PAGE_WITHIN_MS)) ? `${base}/${path}` : undefined;
}

async function isThere(url: string, withinMs: number): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(withinMs) })).ok;
  } catch {
    return false;
  }
}
