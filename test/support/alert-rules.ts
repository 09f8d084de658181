/** The alert rules that the package ships, and the metrics that they name. */

import { parse } from 'yaml';
import { readSource } from './source-files.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly annotations: { readonly summary: string };
}

/** As Prometheus is given them. */
export function rulesText(): string {
  return readSource('docs/planwright.rules.yml');
}

export function rules(): readonly Rule[] {
  const { groups } = parse(rulesText()) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

/** The metrics in the expressions, as a scrape declares them: a histogram by its own name. */
export function metricsNamed(): readonly string[] {
  const series = rules().flatMap(({ expr }) => expr.match(/\b(?:planwright|temporal)_\w+/g) ?? []);
  return [...new Set(series.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];
}
