/** The parts of demos that ask models: a double that lives in a worker, a ledger of calls, and the story of how a goal becomes a plan. */

export { proofOfCalls, heldReplies, type CallKill, type CallProof } from './call-proof.ts';
export { chosenModel, MAX_REPLY_TOKENS } from './chosen-model.ts';
export { planGoal, planOf } from './goal-run.ts';
export { withJournalWindow } from './journal-window.ts';
export { readModelLedger, type ModelEntry } from './model-ledger.ts';
export { calling, type ScriptedAnswer } from './scripted-model.ts';
export { usageText } from './usage-text.ts';
export { followRun } from './follow-run.ts';
export { tellModelStory } from './model-story.ts';
