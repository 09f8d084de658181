/** The text about why a run failed: the known facts, and a model's account of them. */

import { placeName, type ProjectPolicy, type ReportReply, type ReportRequest, NO_USAGE } from '../protocol/index.ts';
import { reportFailure } from '../planner/index.ts';
import { type Stores, placeOf } from './stores.ts';
import type { EffectGate } from './gate.ts';
import { openPaidModel, type ProjectModels } from './models.ts';

export async function wordFailure(
  { call, work, allowance, chain, ...facts }: ReportRequest,
  {
    stores,
    models,
    gate,
    project,
  }: {
    readonly stores: Stores;
    readonly models: ProjectModels | undefined;
    readonly gate: EffectGate;
    readonly project: ProjectPolicy;
  },
): Promise<ReportReply> {
  const of = placeOf({ chain });
  const paid =
    models &&
    openPaidModel(
      models.planner,
      stores.of(of),
      { key: `${placeName(of)}/${call}` },
      { gate, work, allowance: allowance ?? project.spending },
    );
  const { text } = await reportFailure(facts, paid?.ask, models?.planner.prompts);
  return { report: text, usage: paid?.usage ?? NO_USAGE };
}
