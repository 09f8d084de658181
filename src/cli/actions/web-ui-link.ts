/** The page of a run in the Web UI of a local dev server. */

import type { Session } from './connect.ts';

/** A dev server puts its Web UI on the port of the server plus this, unless it is told otherwise. */
const UI_OFFSET = 1000;
const ANSWER_MS = 500;

/** undefined unless a Web UI on this machine really shows this run. */
export async function webUiLink({ address, namespace }: Session, workflowId: string): Promise<string | undefined> {
  const [, host, port] = /^(127\.0\.0\.1|localhost):(\d+)$/.exec(address) ?? [];
  if (host === undefined) return undefined;
  const page = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const base = `http://${host}:${Number(port) + UI_OFFSET}`;
  try {
    const answer = await fetch(`${base}/api/v1/${page}`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok ? `${base}/${page}` : undefined;
  } catch {
    return undefined;
  }
}
