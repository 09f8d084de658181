/** The words of the scripted planner: a plan with two mistakes, and when it is told of them, one without. */

import { readFileSync } from 'node:fs';
import type { ScriptedAnswer } from '../from-goal/index.ts';

/** The goal of `plan.json`: nothing else is planned here. */
export const GOAL = (
  JSON.parse(readFileSync(new URL('./plan.json', import.meta.url), 'utf8')) as { readonly goal: string }
).goal;

const read = (id: string, task: string, track: string, hint?: string) => ({
  ...{ id, task, capability: 'track.records', arguments: { track } },
  ...(hint !== undefined && { hint }),
});
const combine = (id: string, operator: string, inputs: readonly string[], colocate?: object) => ({
  ...{ id, operator, inputs },
  ...(colocate !== undefined && { colocate }),
});

/** The plan of `plan.json`, in the form in which models write. */
export const NODES = [
  read('exons', 'Read the exons of RefSeq transcripts', 'exons'),
  {
    id: 'coding',
    task: 'Keep the exons of protein-coding transcripts',
    hint: 'RefSeq accessions of protein-coding transcripts begin with NM_.',
    capability: 'records.named',
    arguments: { prefix: 'NM_' },
    inputs: ['exons'],
  },
  read('alus', 'Read the AluY repeats', 'alu-y', 'AluY is a young family of Alu elements.'),
  read('repeats', 'Read the tandem repeats', 'tandem-repeats'),
  combine('upstream', 'COLOCATE', ['coding', 'alus'], { upstream: 1000, strand: 'same' }),
  combine('downstream', 'COLOCATE', ['coding', 'alus'], { downstream: 1000, strand: 'opposite' }),
  combine('flanked', 'UNION', ['upstream', 'downstream']),
  combine('paired', 'INTERSECT', ['upstream', 'downstream']),
  combine('one_flank', 'MINUS', ['flanked', 'paired']),
  combine('repetitive', 'COLOCATE', ['coding', 'repeats'], { operation: 'contains' }),
  combine('answer', 'RMINUS', ['repetitive', 'one_flank']),
];

/** A capability that there is not, and a track that there is not. */
const MISTAKES: Readonly<Record<string, object>> = {
  coding: { capability: 'records.filter' },
  alus: { arguments: { track: 'young-alus' } },
};

const EXPLANATION = 'Exons with an AluY on one flank only, without those that hold a tandem repeat.';

const planning = { by: 'planner', goal: GOAL };

export const PLANNER_SCRIPT: readonly ScriptedAnswer[] = [
  {
    to: { ...planning, wants: 'plan', turn: 1 },
    reply: {
      value: { nodes: NODES.map((node) => ({ ...node, ...MISTAKES[node.id] })), explanation: EXPLANATION },
    },
  },
  { to: { ...planning, wants: 'plan', turn: 2 }, reply: { value: { nodes: NODES, explanation: EXPLANATION } } },
];
