/** The builders of this policy's stages, and what the stages reach. */

import { stagesOf, type RoundSurroundings, type Stage, type StageKind } from 'planwright';
import type { Decision } from './decision.ts';
import type { State } from './state.ts';

/** The goal, what was wrong with the step before, and the model. */
export type Around = Pick<RoundSurroundings, 'task' | 'trouble' | 'ask'>;

export const on = stagesOf<State, Decision, Around>();

export type MarketStage<Kind extends StageKind> = Extract<Stage<State, Decision, Around>, { readonly kind: Kind }>;
