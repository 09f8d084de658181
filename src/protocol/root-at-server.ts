/** The run at the root of a family, as the server names it: an agent's run works for it. */

/** What the server says of an execution. */
export interface DescribedExecution {
  readonly firstRunId?: string | null;
  readonly rootExecution?: { readonly workflowId?: string | null; readonly runId?: string | null } | null;
}

export interface Root {
  readonly workflowId: string;
  /** Absent where the server does not say it. */
  readonly chain?: string;
}

/**
 * A run without a parent is its own root.
 * @param describe gives undefined for an execution that the server does not know
 */
export async function rootAtServer(
  { workflowId, runId }: { readonly workflowId: string; readonly runId?: string },
  describe: (workflowId: string, runId?: string) => Promise<DescribedExecution | null | undefined>,
): Promise<Root> {
  const own = await describe(workflowId, runId);
  const { workflowId: id, runId: first } = own?.rootExecution ?? {};
  if (typeof id !== 'string' || id === workflowId) return rootAs(workflowId, own);
  // The execution that it was started in may be forgotten, and the run go on.
  return rootAs(id, (await describe(id, first ?? undefined)) ?? (await describe(id)));
}

function rootAs(workflowId: string, described: DescribedExecution | null | undefined): Root {
  const firstRunId = described?.firstRunId;
  return { workflowId, ...(firstRunId != null && firstRunId !== '' && { chain: firstRunId }) };
}
