/** Text is cut by one room: what cuts it elsewhere cuts characters in half, and a store, a model or a server refuses what is left. */

import { describe, expect, test } from 'vitest';
import { codeBelow, readCode } from '../support/source-files.ts';

/** `receiver.slice(0, BOUND)` and `receiver.slice(-BOUND)`, and both older names whatever they are given. */
const CUT = /([\w$]+|[)\]}'"`])[?!]*\s*\.(?:(slice)\(\s*(-|0,)([^;\n]*)|substring\(|substr\()/g;

/** A bound is a constant or a number; a place that a scan has found is neither. */
const BOUND = /^\s*(?:[A-Z][A-Z\d_]+|\d+\b|most\b|limit\b|max\w*\b|width\b|Math\.)/;
/** Lists have names in the plural; digests and other digits hold no character of two code units. */
const LIST = /^(?:\w*s|children|\])$/;
const DIGITS = /^(?:digest|hash|ref|mark|unique|about|before)$/;

/** Lists under other names, and texts of which every character is one code unit, or that are told escaped. */
const KNOWN: readonly string[] = [
  'model/server-words.ts told',
  'loop/round/observed.ts known',
  'worker/activities/effect-keys.ts )',
  'define/agent-executor.ts )',
  'evaluation/case-of-plan.ts )',
  'builtin/calculate/calculate.ts known',
  'builtin/calculate/evaluate.js text',
  'builtin/draft-capabilities.ts )',
  'builtin/search-text/page-index.ts found',
  'builtin/search-text/search-text.ts skipped',
  'cli/commands/status.ts open',
  'cli/running/tell-end.ts ids',
  'cli/starting/start-project.ts )',
  'cli/view/open-items.ts unreachable',
  'operations/words/open-items.ts )',
  'operations/words/run.ts retried',
  'page/app.ts )',
  'page/door.ts value',
  'page/inbox.ts unreachable',
  'page/routes/reading.ts )',
  'page/view/run.ts open',
  'page/view/run.ts above',
  'page/view/run.ts sorted',
  'page/view/run.ts )',
  'page/view/waits.ts wait',
  'operations/list.ts )',
  'operations/open-item.ts )',
  'mcp/open-items.ts )',
  'mcp/tasks.ts open',
  'builtin/mcp/open-tools.ts tools',
  'builtin/mcp/tool-capability.ts )',
  'wire/contract/ids.ts )',
  'builtin/drafts/create-drafts.ts ofKind',
  'builtin/drafts/find-entry.ts known',
  'builtin/drafts/hand-off.ts )',
  'builtin/drafts/save-artifact.ts )',
  'language/outline/words.ts group',
  'language/plan/digest/canonical-json.ts )',
  'language/plan/issues/json-path.ts step',
  'language/plan/rendering/plan-sentence.ts dependsOn',
  'language/plan/steps/resolve-references.ts cycle',
  'language/plan/xml/dependency-text.ts written',
  'loop/round/notes.ts )',
  'loop/round/tools.ts )',
  'loop/round/tools.ts plain',
  'loop/form/read-reply.ts )',
  'loop/prompts/fence.ts )',
  'loop/prompts/guides.ts )',
  'loop/prompts/requests.ts context',
  'loop/prompts/requests.ts told',
  'wire/results/read-gff3.ts all',
  'engine/run/land-node.ts )',
  'engine/run/report.ts )',
  'engine/run/show/open-items.ts )',
  'engine/run/show/views.ts )',
  'worker/plugin/fingerprint.ts )',
  'edge/client/attempts.ts atWork',
  'edge/own-worker/watch-inbox.ts )',
  'wire/results/lookup.ts )',
  'worker/activities/part/recovered.ts missing',
  'worker/activities/part/work-on-part.ts )',
  'engine/workflows/payload-converter.js why',
  'edge/upkeep/collect/marks.ts text',
  'mcp/open-items.ts )',
  'mcp/tasks.ts open',
  'operations/open-item.ts )',
  'builtin/mcp/tool-capability.ts )',
  'engine/workflows/payload-converter.js encoding',
];

function cutsIn(code: string): string[] {
  return [...code.matchAll(CUT)].flatMap(([, receiver = '', slice, , bound = '']) => {
    const isCut = slice === undefined || BOUND.test(bound);
    return isCut && !LIST.test(receiver) && !DIGITS.test(receiver) ? [receiver] : [];
  });
}

describe('a cut of a text', () => {
  test('stands in src/language/text alone', () => {
    const found = codeBelow('src')
      .filter((path) => !path.startsWith('src/language/text/'))
      .flatMap((path) => cutsIn(readCode(path)).map((receiver) => `${path.slice('src/'.length)} ${receiver}`));
    expect([...new Set(found)].filter((one) => !KNOWN.includes(one))).toEqual([]);
  });

  test.each([
    'text.slice(0, SUMMARY)',
    'line.slice(0, MAX_LINE - 1)',
    'step.name.slice(0, 40)',
    'message?.slice(0, 80)',
    'reason.slice(-TAIL)',
    'text.substring(0, 4)',
    'text.substr(4)',
    '`${one}${other}`.slice(0, SUMMARY)',
    'text\n  .slice(0, 3)',
  ])('is seen: %s', (code) => {
    expect(cutsIn(code)).toHaveLength(1);
  });

  test.each([
    'names.slice(0, NAMED)',
    '[...set].slice(0, 3)',
    'digest.slice(0, 8)',
    'text.slice(0, end)',
    'path.slice(4)',
  ])('is none: %s', (code) => {
    expect(cutsIn(code)).toEqual([]);
  });
});
