/** The address of a run in Temporal's Web UI. */

/** A dev server's Web UI is on its port plus this by default. */
const UI_OFFSET = 1000;
const WITHIN_MS = 1000;

interface At {
  readonly address: string;
}

/** Undefined if the server has no known Web UI. */
export async function webUiOf({ address, uiUrl }: At & { readonly uiUrl?: string }): Promise<string | undefined> {
  return uiUrl ?? (await addressIfServed(address, '/api/v1/cluster-info'));
}

/** Undefined unless a Web UI on this machine shows this run. */
export async function runPageOf(
  { address, namespace }: At & { readonly namespace: string },
  workflowId: string,
): Promise<string | undefined> {
  if (!/^(127\.0\.0\.1|localhost):/.test(address)) return undefined;
  const path = `/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const base = await addressIfServed(address, `/api/v1${path}`);
  return base && `${base}${path}`;
}

/** Another program on that port would answer differently. */
async function addressIfServed(address: string, path: string): Promise<string | undefined> {
  const [host = '', port] = address.split(':');
  const base = `http://${host}:${Number(port) + UI_OFFSET}`;
  try {
    return (await fetch(`${base}${path}`, { signal: AbortSignal.timeout(WITHIN_MS) })).ok ? base : undefined;
  } catch {
    return undefined;
  }
}
