/** The default port of a dev server's Web UI, minus the server's port. */
const UI_OFFSET = 1000;
const WITHIN_MS = 1000;

interface At {
  readonly address: string;
}

/** The origin of a server's Web UI; undefined if it is unknown. */
export async function webUiOf({ address, uiUrl }: At & { readonly uiUrl?: string }): Promise<string | undefined> {
  return uiUrl ?? (await addressIfServed(address, '/api/v1/cluster-info'));
}

export async function runPageOf(
  { address, namespace }: At & { readonly namespace: string },
  workflowId: string,
): Promise<string | undefined> {
  if (!/^(127\.0\.0\.1|localhost):/.test(address)) return undefined;
  const path = `/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const base = await addressIfServed(address, `/api/v1${path}`);
  return base && `${base}${path}`;
}

/** The address of the Web UI; undefined if nothing serves the path there, since another program may use the port. */
async function addressIfServed(address: string, path: string): Promise<string | undefined> {
  const [host = '', port] = address.split(':');
  const base = `http://${host}:${Number(port) + UI_OFFSET}`;
  try {
    return (await fetch(`${base}${path}`, { signal: AbortSignal.timeout(WITHIN_MS) })).ok ? base : undefined;
  } catch {
    return undefined;
  }
}
