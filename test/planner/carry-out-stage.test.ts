/** A goal goes from stage to stage as a run has it: the machine says which is next, the notes are stored between them. */

import { describe, expect, test } from 'vitest';
import {
  PLANNING_STAGES,
  type PlanningReply,
  afterAnswer,
  afterStage,
  openPlanning,
  type Planning,
  type PlanningStep,
} from '../../src/protocol/index.ts';
import { runStage, isModelFailure, openNotes, troubleOf, withAnswers } from '../../src/planner/index.ts';
import { compilerOf, plannerOf, modelError, researcher, USAGE, type Script } from '../support/scripted-planner.ts';

const EXTRACTED = { json: { task: 'Find genes', depends_on_chat_history: false, depends_on_user_memory: false } };
const PLAN = { json: { nodes: [{ id: 'a', task: 'Find', capability: 'search', arguments: { text: 'x' } }] } };

/** The stages that a goal went through; between two of them everything is JSON in a store. */
async function walk(script: Script, mode: 'plan-first' | 'auto' = 'auto') {
  const store = new Map<string, string>();
  const planner = plannerOf(script, { agents: [researcher] });
  const stages: string[] = [];
  let step: PlanningStep = { next: 'stage', planning: openPlanning('Find genes', mode) };
  while (step.next === 'stage' || step.next === 'ask') {
    if (step.next === 'ask') store.set('answer', JSON.stringify('hg38'));
    const planning: Planning =
      step.next === 'ask' ? afterAnswer(step.planning, { question: step.question.text, ref: 'answer' }) : step.planning;
    stages.push(planning.stage);
    const stored =
      planning.notes === undefined
        ? openNotes(planning.goal, { conversation: { history: 'operator: hello' } })
        : JSON.parse(store.get(planning.notes)!);
    const answers = (planning.answers ?? []).map(({ ref }) => JSON.parse(store.get(ref)!));
    const notes = withAnswers(stored, answers);
    const staged = await runStage(planner, notes, planning, compilerOf(planner));
    store.set(`notes ${stages.length}`, JSON.stringify(staged.notes));
    const outcome: PlanningReply['outcome'] =
      staged.outcome.is === 'written' ? { is: 'compiled', pages: [] } : staged.outcome;
    step = afterStage(planning, { notes: `notes ${stages.length}`, usage: USAGE, outcome });
  }
  return { stages, step, asked: planner.asked };
}

describe('Osprey: order of planning: carried out', () => {
  test.each<[name: string, script: Script, stages: readonly string[], end: string]>([
    [
      'a plan',
      { extract: [EXTRACTED], route: [{ json: { route: 'plan-first' } }], write: ['prose', PLAN] },
      ['extract', 'route', 'select', 'write', 'write'],
      'plan',
    ],
    [
      'an answer',
      { extract: [EXTRACTED], route: [{ json: { route: 'direct' } }] },
      ['extract', 'route', 'direct'],
      'plan',
    ],
    ['a loop', { extract: [EXTRACTED], route: [{ json: { route: 'reactive' } }] }, ['extract', 'route'], 'reactive'],
    ['a provider that fails', { extract: [modelError('auth', 'CRITICAL')] }, ['extract', 'fallback'], 'plan'],
    [
      'a question',
      { extract: [EXTRACTED], route: ['?'], write: [{ json: { question: { text: 'Which?' } } }, PLAN] },
      ['extract', 'route', 'select', 'write', 'write'],
      'plan',
    ],
  ])('%s', async (_name, script, stages, end) => {
    const walked = await walk(script);
    expect(walked.stages).toEqual(stages);
    expect(walked.step.next).toBe(end);
    expect(PLANNING_STAGES).toEqual(expect.arrayContaining(walked.stages));
  });

  test('an answer of a person reaches the call after it', async () => {
    const script = { extract: [EXTRACTED], write: [{ json: { question: { text: 'Which?' } } }, PLAN] };
    const { asked } = await walk(script, 'plan-first');
    expect(asked.at(-1)?.request.messages.at(-1)?.content).toContain('"hg38"');
  });
});

test('a failure of a model is told by its fields, and anything else is none', () => {
  const failure = modelError('quota', 'CRITICAL', { forPeople: 'Add some.' });
  expect([failure, new Error('x'), 'x', { name: 'ModelError', kind: 'quota' }].map(isModelFailure)).toEqual([
    ...[true, false, false, false],
  ]);
  expect(troubleOf(failure)).toEqual({ severity: 'CRITICAL', message: 'quota happened. Add some.' });
  expect(troubleOf(new Error('x'.repeat(5000))).message).toHaveLength(2000);
});
