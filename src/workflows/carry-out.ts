/** Begins and stops the work that a turn orders, and brings what it gives back to the run. */

import { CancellationScope } from '@temporalio/workflow';
import { effectOf, type CompileRequest } from '../contract/index.ts';
import { land, type Landing, type Run, type Verify, type Work } from '../run/index.ts';
import { cutCharacters, oneLine } from '../text/index.ts';
import { nodeFailureOf, runFailureOf } from './failures.ts';
import { now } from './now.ts';
import { compilePlan, readKeys, storeAnswer } from './reach.ts';
import { startNode } from './starters.ts';

export interface Crew {
  begin(id: number): void;
  stop(id: number): void;
}

/** @param landed is called when work has landed and has taken its effect */
export function createCrew(run: Run, verify: Verify, landed: () => void): Crew {
  const scopes = new Map<number, CancellationScope>();

  return {
    begin(id) {
      const work = run.work.get(id);
      if (work === undefined) return;
      const scope = new CancellationScope();
      scopes.set(id, scope);
      // What it is at its end an edit may have changed.
      const effect = work.kind === 'node' ? effectOf(run.execution?.slice, work.node) : 'read';
      const bring = (landing: Landing) => {
        scopes.delete(id);
        land(run, id, landing, now(), verify);
        landed();
      };
      scope
        .run(() => carryOut(run, id, work))
        .then(
          (value) => bring({ ok: true, value }),
          (error: unknown) => bring({ ok: false, end: nodeFailureOf(error, effect), failure: runFailureOf(error) }),
        )
        .catch(fault);
    },
    stop: (id) => scopes.get(id)?.cancel(),
  };

  /** A fault of the program has no other way out of the run. */
  function fault(error: unknown): void {
    run.dialogue.failure ??= {
      type: 'FATAL',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      details: [],
    };
    landed();
  }
}

function carryOut(run: Run, id: number, work: Work): Promise<unknown> {
  switch (work.kind) {
    case 'node':
      return startNode(run, work.node, id);
    case 'draft':
      return compilePlan(draftRequest(run), 'Compile the plan');
    case 'message':
    case 'default':
      return meet(run, work.need);
    case 'unused':
      return Promise.reject(new RangeError('what no plan has is never begun'));
  }
}

function meet(run: Run, need: Extract<Work, { kind: 'message' }>['need']): Promise<unknown> {
  const revision = run.execution?.slice.revisionRef ?? '';
  switch (need.do) {
    case 'compile':
      return compilePlan(
        editRequest(run, need.decision, revision),
        `Compile the plan that ${cutCharacters(oneLine(need.decision.by), 50)} edited`,
      );
    case 'store': {
      const { node, value, schema } = need;
      return storeAnswer({ revision, nodeId: node, value, ...(schema !== undefined && { schema }) });
    }
    case 'keys':
      return readKeys();
  }
}

function draftRequest({ dialogue: { source, options } }: Run): CompileRequest {
  const { limits, context, approval } = options;
  const rules = typeof approval === 'string' ? [] : approval.rules;
  const ruleCapabilities = rules.flatMap(({ capability }) => capability ?? []);
  return {
    source: source ?? { document: '' },
    ...(limits !== undefined && { limits }),
    ...(context !== undefined && { context }),
    ...(ruleCapabilities.length > 0 && { ruleCapabilities }),
  };
}

function editRequest(
  { dialogue: { options } }: Run,
  { plan, ref }: { readonly plan?: unknown; readonly ref?: string },
  base: string,
): CompileRequest {
  const { limits, context } = options;
  return {
    source: ref === undefined ? { document: plan } : { ref },
    base,
    ...(limits !== undefined && { limits }),
    ...(context !== undefined && { context }),
  };
}
