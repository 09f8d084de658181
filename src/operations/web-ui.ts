/** Where the Web UI of a Temporal server shows a run. */

/** A dev server puts its Web UI on the port of the server plus this, unless it is told otherwise. */
const UI_OFFSET = 1000;
const WITHIN_MS = 1000;

interface At {
  readonly address: string;
}

/** The address of a server's Web UI, or undefined when it has none that we know of. */
export async function webUiOf({ address, uiUrl }: At & { readonly uiUrl?: string }): Promise<string | undefined> {
  return uiUrl ?? (await ifShown(address, '/api/v1/cluster-info'));
}

/** The page of a run; undefined unless a Web UI on this machine really shows this run. */
export async function runPageOf(
  { address, namespace }: At & { readonly namespace: string },
  workflowId: string,
): Promise<string | undefined> {
  if (!/^(127\.0\.0\.1|localhost):/.test(address)) return undefined;
  const path = `/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const base = await ifShown(address, `/api/v1${path}`);
  return base && `${base}${path}`;
}

/** Another program on that port does not answer this. */
async function ifShown(address: string, path: string): Promise<string | undefined> {
  const [host = '', port] = address.split(':');
  const base = `http://${host}:${Number(port) + UI_OFFSET}`;
  try {
    return (await fetch(`${base}${path}`, { signal: AbortSignal.timeout(WITHIN_MS) })).ok ? base : undefined;
  } catch {
    return undefined;
  }
}
