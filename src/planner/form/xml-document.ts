/** A reply that is a plan in XML, as a document (Calute: XML plans). */

import { compilePlan, MODEL_LIMITS, stepsDocument } from '../../plan/index.ts';
import type { BuiltDocument } from './build-document.ts';

/** The steps of the reply beside the run's goal: an objective that the model writes is not taken. */
export function xmlDocument(goal: string, text: string, contextKeys: readonly string[]): BuiltDocument {
  const read = compilePlan(text, { format: 'xml', contextKeys, limits: MODEL_LIMITS });
  if (!read.ok) return { ok: false, issues: read.issues };
  const { steps, ...facts } = stepsDocument(read.plan)!;
  return { ok: true, document: { ...facts, goal, steps }, warnings: read.warnings };
}
