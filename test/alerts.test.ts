/** `METRICS` are what a worker counts, and docs/planwright.rules.yml asks for nothing else. `test/cli/watching.server.test.ts` scrapes. */

import { describe, expect, test } from 'vitest';
import { DEFERRAL_CAUSES, METRICS, NODE_ENDS, OPEN_ITEM_KINDS, OUTCOMES } from '../src/protocol/index.ts';
import { metricsNamed, rules } from './support/alert-rules.ts';

const all = Object.values(METRICS);
const EVERYWHERE = ['namespace', 'taskQueue', 'workflowType', 'activityType', 'le'];

describe('a rule', () => {
  const byName = new Map<string, readonly string[]>(all.map(({ name, labels }) => [name, labels]));
  const ours = metricsNamed().filter((name) => name.startsWith('planwright_'));

  test('asks for metrics that there are', () => {
    expect(rules().length).toBeGreaterThan(10);
    expect(ours.filter((name) => !byName.has(name))).toEqual([]);
    // Those that no rule watches are looked at by people.
    expect(all.map(({ name }) => name).filter((name) => !ours.includes(name))).toEqual([
      METRICS.attemptTime.name,
      METRICS.callTime.name,
      METRICS.tokens.name,
    ]);
  });

  test.each(rules().map((rule) => [rule.alert, rule] as const))(
    '%s asks for labels that its metrics have',
    (_, rule) => {
      const { expr, annotations } = rule;
      expect(annotations.summary.length).toBeGreaterThan(10);
      const names = expr.match(/planwright_\w+/g) ?? [];
      if (names.length === 0) return;
      const known = new Set([...EVERYWHERE, ...names.flatMap((name) => byName.get(name.replace(/_sum$/, '')) ?? [])]);
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      const matched = [...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label);
      expect([...grouped, ...matched].filter((label) => !known.has(label))).toEqual([]);
    },
  );

  test('names values that its labels can have', () => {
    const values: Readonly<Record<string, readonly string[]>> = {
      outcome: OUTCOMES,
      by: DEFERRAL_CAUSES,
      kind: OPEN_ITEM_KINDS,
      older: ['0s', '5m', '1h', '1d'],
    };
    const ends = [...NODE_ENDS, 'succeeded', 'failed', 'auth', 'quota', 'bad-request'];
    const asked = rules().flatMap(({ expr }) => [...expr.matchAll(/(\w+)=~?"([^"]+)"/g)]);
    const wrong = asked.filter(([, label = '', text = '']) => {
      const may = label === 'end' ? ends : values[label];
      return may !== undefined && text.split('|').some((one) => !may.includes(one));
    });
    expect(wrong).toEqual([]);
  });
});
