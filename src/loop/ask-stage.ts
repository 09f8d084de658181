/** A stage that puts one question to the model. */

import { isRecord, type PlanningStage, type PlanningTrouble } from '../wire/contract/index.ts';
import { settle, type PlannerDesk } from './desk.ts';
import { jsonOfReply } from './form/index.ts';
import type { PlannerNotes } from './notes.ts';
import { stageRequest, type PromptName, type StageQuestion } from './prompts/index.ts';

/** The outcome of a stage, beside the notes that it hands on. */
export interface Staged<Outcome> {
  readonly notes: PlannerNotes;
  readonly outcome: Outcome;
}

export interface StageFailed {
  readonly is: 'failed';
  readonly trouble: PlanningTrouble;
}

/**
 * Asks once, under the prompt of the stage. A reply that cannot be read is read as one without fields.
 * @throws ModelError where another attempt may help
 */
export async function askStage<Outcome>(
  desk: PlannerDesk,
  notes: PlannerNotes,
  stage: PlanningStage & PromptName,
  question: StageQuestion,
  read: (said: Readonly<Record<string, unknown>>) => Staged<Outcome> | Promise<Staged<Outcome>>,
): Promise<Staged<Outcome | StageFailed>> {
  let said: unknown;
  try {
    said = jsonOfReply(await desk.ask(stageRequest(stage, notes, question, { prompts: desk.prompts }), stage));
  } catch (error) {
    const { trouble, isReply } = settle(desk, error);
    if (!isReply) return { notes, outcome: { is: 'failed', trouble } };
  }
  return read(isRecord(said) ? said : {});
}
