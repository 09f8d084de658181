/** Plan documents of every dialect from a seed, whole and broken, as people and models write them. */

import { fuzzDocument, type FuzzDocument } from '../../bench/fuzz-documents.ts';
import { randomFrom } from '../../bench/random.ts';

/** Its name says how it was made; the same count and number give the same documents. */
export interface GeneratedPlan extends FuzzDocument {
  readonly name: string;
}

type Random = () => number;
type Written = { [key: string]: unknown };

/** As many of each: texts changed at random, trees, both lists of steps, XML; of the last four every tenth has keys of other systems. */
export function generatedPlans(count: number, seed: number): readonly GeneratedPlan[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const made = MAKERS[index % MAKERS.length]!;
    const isForeign = index % 50 < MAKERS.length;
    const { text, options } = made.make(random, isForeign);
    return { name: `${isForeign ? 'foreign ' : ''}${made.name} ${index}`, text, options };
  });
}

const MAKERS = [
  { name: 'changed', make: (random: Random) => fuzzDocument(random) },
  { name: 'tree', make: treeDocument },
  { name: 'list', make: ospreyDocument },
  { name: 'numbered list', make: caluteDocument },
  { name: 'xml', make: xmlDocument },
];

/** Keys of other systems, and some that nobody has. */
const FOREIGN: readonly (readonly [key: string, value: unknown])[] = [
  ['depends_on', ['a']],
  ['dependsOn', 'a'],
  ['deps', [1]],
  ['needs', []],
  ['args', { query: 'x' }],
  ['kwargs', '{"query":"x"}'],
  ['tool', 'search'],
  ['function', { name: 'search', arguments: { query: 'x' } }],
  ['children', [{ task: 'Below' }]],
  ['subtasks', ['Below']],
  ['inputs', [{ task: 'Below' }]],
  ['query', 'x'],
  ['metadata', { a: 1 }],
  ['notes', 'a'],
  ['x-color', 'red'],
  ['priority', 2],
];

const TEXTS = ['Find genes', ' Rank them ', 'Écrire', 'A & B < C', 'line\nbreak', 'Sum up result_from_step_1', 7, ''];
const NAMES = ['search', 'rank', 'search', 'rank', undefined, undefined, 'search', 'respond', 'Search', ''];
const VALUES = [{ query: 'x' }, { q: [1, null, { z: true }] }, {}, null, [1], 'text', { n: 'result_from_step_1' }];
const CASES = ['UNION', 'and', 'NOT', 'minus-right', 'COLOCATE', 'UNION', 'rminus', 'or', 'LONLY', 'near', undefined];

function treeDocument(random: Random, isForeign: boolean): FuzzDocument {
  const document: Written = { goal: pick(['Find targets', '', 5, undefined], random, 0.9), plan: node(0) };
  if (random() < 0.03) document['steps'] = [];
  return { text: textOf(document, random), options: {} };

  function node(depth: number): Written {
    const written: Written = depth < 3 && random() < 0.5 ? combine(depth) : task(depth);
    return mixed(written, isForeign, random);
  }
  function task(depth: number): Written {
    return {
      ...maybe('type', pick(['task', 'step', 'Subtask', 'Step', 'combine', 'job'], random, 0.7), random),
      [pick(['task', 'text', 'text', 'tsk'], random, 0.8)]: pick(TEXTS, random, 0.5),
      ...maybe(pick(['hint', 'instructions'], random), pick(TEXTS, random), random),
      ...maybe(pick(['context', 'parameters', 'params'], random), pick(VALUES, random), random),
      ...maybe('capability', pick(NAMES, random), random),
      ...maybe('arguments', pick(VALUES, random), random),
      ...maybe('agent', pick(['Writer', ' writer ', 'Writer', 'Writer', ''], random), random, 0.2),
      ...maybe('id', pick(['n1', 4], random), random, 0.2),
      ...(depth < 3 && random() < 0.3 && { input: node(depth + 1) }),
    };
  }
  function combine(depth: number): Written {
    const [left, right] = [node(depth + 1), random() < 0.05 ? null : node(depth + 1)];
    return {
      ...maybe('type', pick(['combine', 'op', 'task'], random, 0.8), random),
      [pick(['operator', 'op'], random)]: pick(CASES, random),
      ...(random() < 0.3 ? { inputs: [left, right] } : { left, right }),
      ...maybe('colocate', pick([null, { upstream: 10 }, { upstream: -1 }, 5], random), random, 0.1),
      ...maybe('upstream', 7, random, 0.03),
      ...maybe('display_name', 'Both', random, 0.2),
    };
  }
}

function ospreyDocument(random: Random, isForeign: boolean): FuzzDocument {
  const steps = Array.from({ length: between(0, 6, random) }, (_, index) =>
    mixed(
      {
        ...(random() < 0.95 && { context_key: keyOf(index, random) }),
        ...maybe('capability', pick(NAMES, random), random, 0.9),
        [pick(['task_objective', 'description', 'objective'], random, 0.8)]: pick(TEXTS, random, 0.5),
        ...maybe('expected_output', 'GENES', random, 0.3),
        ...maybe('success_criteria', pick(TEXTS, random), random, 0.3),
        ...maybe(
          'inputs',
          pick([index > 0 ? ['a'] : [], ['out'], index > 1 ? [{ T: 'b' }] : [], [], ['a'], 'a', [{}], ['zz']], random),
          random,
        ),
        ...maybe('parameters', pick(VALUES, random), random),
      },
      isForeign,
      random,
    ),
  );
  const end = random() < 0.5 ? [{ context_key: 'end', capability: 'respond', task_objective: 'Answer' }] : [];
  const document = {
    ...maybe(pick(['goal', 'objective'], random), 'Weather', random, 0.9),
    steps: random() < 0.02 ? {} : [...steps, ...end],
  };
  return { text: textOf(document, random), options: { contextKeys: ['out'] } };
}

function caluteDocument(random: Random, isForeign: boolean): FuzzDocument {
  const steps = Array.from({ length: between(1, 6, random) }, (_, index) =>
    mixed(
      {
        step_id: random() < 0.9 ? index + 1 : pick([1, 'x', null], random),
        ...maybe('agent', pick(['Writer', 'writer', 'Writer', 'Analyst', ''], random), random),
        ...maybe('capability', pick(NAMES, random), random, 0.3),
        action: pick(TEXTS, random, 0.6),
        ...maybe('arguments', pick(VALUES, random), random),
        ...maybe(
          'dependencies',
          pick([index > 0 ? [1] : [], index > 1 ? ['2'] : [], [], [1, 1], [9], '1'], random),
          random,
        ),
        ...maybe('description', pick(TEXTS, random), random),
      },
      isForeign,
      random,
    ),
  );
  const document: Written = { objective: 'Write', steps, ...maybe('complexity', 'low', random), estimated_time: 5 };
  if (random() < 0.05) document['plan_id'] = 'p';
  return { text: textOf(document, random), options: {} };
}

function xmlDocument(random: Random, isForeign: boolean): FuzzDocument {
  const steps = Array.from({ length: between(1, 6, random) }, (_, index) => {
    const parts = [
      `<agent>${pick(['Writer', 'writer', 'Analyst'], random)}</agent>`,
      `<action>${pick(['write', 'read &amp; sum', 'a & b', '<![CDATA[c < d]]>'], random)}</action>`,
      argumentsElement(),
      `<dependencies>${pick([index === 0 ? 'none' : '1', '', index === 0 ? '' : 'step 1', '[1, 2]'], random)}</dependencies>`,
      pick(['<description>D of result_from_step_1</description>', '<description/>', '', '<remark>r</remark>'], random),
    ];
    if (isForeign && random() < 0.5) {
      parts.push(
        pick(['<depends_on>1</depends_on>', '<needs>1</needs>', '<tool>search</tool>', '<notes>n</notes>'], random),
      );
    }
    return `<step id="${index + 1}">${parts.filter(() => random() < 0.97).join('')}</step>`;
  });
  const list = random() < 0.2 ? `<steps>${steps.join('')}</steps>` : steps.join('\n');
  const text = withoutFirst(
    `<plan><objective>Write &lt;it&gt;</objective><complexity>low</complexity>${list}</plan>`,
    random,
  );
  return { text: random() < 0.05 ? text.slice(0, between(0, text.length, random)) : text, options: {} };

  function argumentsElement(): string {
    if (isForeign && random() < 0.5) {
      return pick(['<arguments query="x"/>', '<arguments>{"query":"x"}</arguments>', '<args><q>1</q></args>'], random);
    }
    return pick(
      [
        '<arguments><q>1 & 2</q></arguments>',
        '<arguments><n><x>1</x><x>2</x></n></arguments>',
        '<arguments/>',
        '<arguments>words</arguments>',
        '<parameters><q>1</q></parameters>',
        '<arguments><q>result_from_step_1</q></arguments>',
      ],
      random,
    );
  }
}

function mixed(written: Written, isForeign: boolean, random: Random): Written {
  if (!isForeign || random() < 0.4) return written;
  const [key, value] = pick(FOREIGN, random);
  return { ...written, [key]: value };
}

/** As JSON, now and then with text around it or without its end. */
function textOf(document: unknown, random: Random): string {
  const text = withoutFirst(JSON.stringify(document, null, random() < 0.3 ? 2 : 0), random);
  const chance = random();
  if (chance < 0.05) return `Here it is:\n\`\`\`json\n${text}\n\`\`\``;
  if (chance < 0.08) return text.slice(0, between(0, text.length, random));
  return chance < 0.12 ? text.replaceAll('"', "'") : text;
}

/** The first step cannot name its own result: mostly it is of no step. */
function withoutFirst(text: string, random: Random): string {
  const end = Math.max(text.indexOf('</step>'), text.indexOf('},'));
  if (random() < 0.1 || end < 0) return text;
  return text.slice(0, end).replaceAll('result_from_step_1', 'it') + text.slice(end);
}

function keyOf(index: number, random: Random): unknown {
  return random() < 0.95 ? 'abcdefgh'[index] : pick(['a', 5, '', '__proto__'], random);
}

function maybe(key: string, value: unknown, random: Random, chance = 0.5): Written {
  return random() < chance ? { [key]: value } : {};
}

/** What stands first is taken more often; with a chance, the first that often at least. */
function pick<T>(list: readonly T[], random: Random, first = 0): T {
  return random() < first ? list[0]! : list[Math.floor(random() ** 2 * list.length)]!;
}

function between(least: number, most: number, random: Random): number {
  return least + Math.floor(random() * (most - least + 1));
}
