import type { CompileOptions, IssueCode } from '../../src/plan/index.ts';

/** A document that should not be, with the error it must give; `ok` where it must compile, with the warning it must give. */
export type HostileDocument = readonly [
  name: string,
  document: string | Uint8Array,
  answer: IssueCode | 'ok',
  warning?: IssueCode | undefined,
  options?: CompileOptions,
];

const text = (value: unknown): string => JSON.stringify(value);
const tree = (plan: unknown, rest: object = {}): string => text({ goal: 'g', plan, ...rest });
const task = (rest: object = {}): object => ({ type: 'task', task: 'A', ...rest });
const raw = (fields: string): string => `{"goal":"g","plan":{"task":"A",${fields}}}`;
const steps = (...list: unknown[]): string =>
  text({ goal: 'g', steps: [...list, step('answer', { capability: 'respond' })] });
const step = (context_key: unknown, rest: object = {}): object => ({
  context_key,
  capability: 'search',
  task_objective: 'Search',
  ...rest,
});
const xml = (inside: string): string => `<plan><objective>g</objective>${inside}</plan>`;
const xmlStep = (inside = '', id = '1'): string =>
  `<step id="${id}"><agent>a</agent><action>b</action>${inside}</step>`;
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const utf16 = (source: string): Uint8Array =>
  bytes(0xff, 0xfe, ...Array.from(source).flatMap((each) => [each.charCodeAt(0), 0]));
const small: CompileOptions = { limits: { bytes: 100_000, depth: 64, nodes: 500 } };
const known: CompileOptions = { capabilities: ['search'], agents: ['a'] };
const nested = (levels: number): string =>
  `${'{"type":"task","task":"t","input":'.repeat(levels)}{"task":"t"}${'}'.repeat(levels)}`;

/** The text of a tree document. */
export const HOSTILE_TEXTS: readonly HostileDocument[] = [
  ['null', 'null', 'unknown-format'],
  ['true', 'true', 'unknown-format'],
  ['a number', '42', 'unknown-format'],
  ['a list', '[]', 'unknown-format'],
  ['a broken list with a plan', `[${tree(task())},]`, 'unknown-format'],
  ['a plan written as a text', text(tree(task())), 'unknown-format'],
  ['a byte order mark', `\uFEFF${tree(task())}`, 'ok', 'surrounding-text'],
  ['UTF-16', utf16(tree(task())), 'not-text'],
  ['an overlong sequence', bytes(0x22, 0xc0, 0xaf, 0x22), 'not-text'],
  ['a sequence that is cut', bytes(0x22, 0xe2, 0x82), 'not-text'],
  ['Latin-1', bytes(...Array.from('{"goal":"caf').map((each) => each.charCodeAt(0)), 0xe9, 0x22, 0x7d), 'not-text'],
  ['NUL outside', `${tree(task())}\0`, 'not-text'],
  ['gzip', bytes(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), 'not-text'],
  ['text after the document', `${tree(task())} garbage`, 'ok', 'surrounding-text'],
  ['two documents', `${tree(task())}\n${tree(task())}`, 'several-documents'],
  ['a comma too many', raw('"hint":"h",'), 'ok', 'repaired-syntax'],
  ['single quotes', `{'goal':'g','plan':{'task':'A'}}`, 'ok', 'repaired-syntax'],
  ['comments', `{/* a */"goal":"g","plan":{"task":"A"}}`, 'ok', 'repaired-syntax'],
  ['keys without quotes', `{goal:"g",plan:{task:"A"}}`, 'ok', 'repaired-syntax'],
  ...['NaN', 'Infinity', '-Infinity', '+1', '.5', '01', '0x10', '1.'].map((value): HostileDocument => [
    `the number ${value}`,
    raw(`"context":${value}`),
    'invalid-json',
  ]),
  ['a fence', `\`\`\`json\n${tree(task())}\n\`\`\``, 'ok', 'surrounding-text'],
  ['prose', `Here is the plan:\n${tree(task())}\nBye.`, 'ok', 'surrounding-text'],
  ['a key twice, once escaped', raw('"type":"task","\\u0074ype":"combine"'), 'duplicate-key'],
  ['a second plan under the same key', '{"goal":"g","plan":{"task":"A"},"plan":{"task":"rm"}}', 'duplicate-key'],
  ['an inverted pair', raw('"hint":"\\udd1e\\ud834"'), 'invalid-text'],
  ['a lone surrogate in a context', raw('"context":["\\udc00"]'), 'invalid-text'],
  ['100,000 brackets', '['.repeat(100_000), 'too-deep'],
  ['100,000 braces', '{"a":'.repeat(100_000), 'too-deep'],
  ['100,000 levels', `{"goal":"g","plan":${nested(100_000)}}`, 'too-deep'],
  ['65 levels', `{"goal":"g","plan":${nested(64)}}`, 'too-deep', undefined, small],
  ['64 levels', `{"goal":"g","plan":${nested(63)}}`, 'ok', undefined, small],
  ['an integer that a double cannot hold', raw('"context":9007199254740993'), 'ok', 'inexact-number'],
  ['a number of 100,000 digits', raw(`"context":${'9'.repeat(100_000)}`), 'invalid-context'],
  ['a line separator as white space', `\u2028${tree(task())}`, 'ok', 'surrounding-text'],
  ['a word joiner inside', '{\u2060"goal":"g","plan":{"task":"A"}}', 'invalid-json'],
  ['a PDF', '%PDF-1.7\n%', 'invalid-json'],
  ['a document cut in a key', '{"goal":"g","pl', 'truncated-document'],
];

/** The structure of a tree document. */
export const HOSTILE_TREES: readonly HostileDocument[] = [
  ['a goal that is a number', text({ goal: 5, plan: task() }), 'ok', 'coerced-text'],
  ['a Cyrillic letter in a type', tree({ type: 't\u0430sk', task: 'A' }), 'node-type'],
  ['a hint that is a number', tree(task({ hint: 5 })), 'ok', 'coerced-text'],
  ['a combine without its right side', tree({ type: 'combine', operator: 'OR', left: task() }), 'missing-operand'],
  ['a combine with null on its left', tree({ operator: 'OR', left: null, right: task() }), 'missing-operand'],
  [
    'a combine with a task',
    tree({ type: 'combine', operator: 'OR', task: 'A', left: task(), right: task({ hint: 'h' }) }),
    'ok',
    'unknown-key',
  ],
  [
    'a combine of one subtree and itself',
    tree({ operator: 'MINUS', left: task(), right: task() }),
    'ok',
    'merged-node',
  ],
  ['__proto__ in a node', raw('"__proto__":{"a":"B"}'), 'ok', 'unknown-key'],
  ['a node under __proto__', raw('"__proto__":{"task":"B"}'), 'unknown-key'],
  ['__proto__ at the top', '{"goal":"g","plan":{"task":"A"},"__proto__":1}', 'unknown-top-level-key'],
  ['constructor in a node', tree(task({ constructor: 1 })), 'ok', 'unknown-key'],
  ['toJSON and then in a context', tree(task({ context: JSON.parse('{"toJSON":1,"then":2}') as object })), 'ok'],
  ['an empty key in a context', tree(task({ context: { '': 1 } })), 'ok'],
  ['a context of 65 levels', raw(`"context":${'['.repeat(65)}${']'.repeat(65)}`), 'value-too-deep'],
  ['a reference', tree({ $ref: '#/plan' }), 'node-type'],
  ['text that turns its direction', tree(task({ hint: '\u202eevil' })), 'ok'],
];

export const HOSTILE_XML: readonly HostileDocument[] = [
  [
    'a billion laughs',
    `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${xml(xmlStep('<description>&b;</description>'))}`,
    'forbidden-xml',
  ],
  ['a document type inside', xml(`<!DOCTYPE x>${xmlStep()}`), 'forbidden-xml'],
  [
    'an external entity',
    `<?xml version="1.0"?><!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml('')}`,
    'forbidden-xml',
  ],
  ['a parameter entity', `<!DOCTYPE p [<!ENTITY % x SYSTEM "http://127.0.0.1/">%x;]>${xml('')}`, 'forbidden-xml'],
  ['an entity declaration alone', xml(`<!ENTITY a "b">`), 'forbidden-xml'],
  [
    'a million references',
    xml(xmlStep(`<description>${'&#65;'.repeat(1_000_000)}</description>`)),
    'too-large',
    undefined,
    small,
  ],
  ...['&#0;', '&#xD800;', '&#1;', '&#x110000;', '&#9999999999;'].map((value): HostileDocument => [
    `the reference ${value}`,
    xml(xmlStep(`<description>a ${value}</description>`)),
    'invalid-xml',
  ]),
  ['an unknown entity', xml(xmlStep('<description>a&nbsp;b</description>')), 'ok', 'repaired-syntax'],
  ['a raw ampersand', xml(xmlStep('<description>a & b</description>')), 'ok', 'repaired-syntax'],
  ['a raw less-than sign before a letter', xml(xmlStep('<description>a <b</description>')), 'invalid-xml'],
  ['a raw less-than sign before a digit', xml(xmlStep('<description>a<5</description>')), 'invalid-xml'],
  [
    'a plan inside CDATA',
    xml(xmlStep('<description><![CDATA[</plan><step id="9"/>]]></description>')),
    'ok',
    'added-respond',
  ],
  ['CDATA without an end', `<plan><objective>g</objective><step id="1"><action><![CDATA[x`, 'truncated-document'],
  ['a comment without an end', `<plan><objective>g</objective>${xmlStep()}<!-- x`, 'truncated-document'],
  ['a processing instruction', xml('<?xml-stylesheet href="x"?>'), 'forbidden-xml'],
  ['a tag that is not closed', xml('<step id="1"><agent>a</step>'), 'invalid-xml'],
  ['a closing tag of nothing', xml('</step>'), 'invalid-xml'],
  ['cut inside the tag of a step', `<plan><objective>g</objective>${xmlStep()}<step id=`, 'truncated-document'],
  ['cut before any step', '<plan><objective>g</objective>', 'truncated-document'],
  ['a plan inside a plan', xml(xml(xmlStep())), 'invalid-xml'],
  ['a step inside a step', xml(xmlStep(xmlStep('', '2'))), 'unknown-key'],
  ['a namespace prefix', '<p:plan xmlns:p="x"><objective>g</objective></p:plan>', 'unknown-format'],
  ['an attribute twice', xml('<step id="1" id="2"><action>a</action></step>'), 'invalid-xml'],
  ['an element in another case', xml('<Step id="1"><action>a</action></Step>'), 'unknown-top-level-key'],
  ['an unknown element of a step', xml(xmlStep('<agnt>b</agnt>')), 'ok', 'unknown-key'],
  ['ids that are equal', xml(xmlStep() + xmlStep()), 'duplicate-step-key'],
  ['no id', xml('<step><action>a</action></step>'), 'ok', 'missing-step-key'],
  ['an id of 5 MB', xml(xmlStep('', '9'.repeat(5_000_000))), 'invalid-step-key'],
  ['a range of dependencies', xml(xmlStep('<dependencies>1-3</dependencies>', '4')), 'unknown-reference'],
  ['all as a dependency', xml(xmlStep('<dependencies>all</dependencies>')), 'unknown-reference'],
  ['dependencies twice', xml(xmlStep() + xmlStep('<dependencies>1,1</dependencies>', '2')), 'ok', 'ignored-key'],
  [
    'dependencies in two ways',
    xml(xmlStep() + '<step id="2" dependencies="1"><action>a</action><dependencies>1</dependencies></step>'),
    'duplicate-key',
  ],
  ['an argument twice', xml(xmlStep('<arguments><q>1</q><q>2</q></arguments>')), 'duplicate-key'],
  ['a huge complexity', xml('<complexity>huge</complexity>'), 'ok', 'invalid-complexity'],
  ['a negative estimate', xml('<estimated_time>-5</estimated_time>'), 'ok', 'invalid-estimate'],
  [
    'an unknown agent',
    xml('<step id="1"><agent>b</agent><action>x</action></step>'),
    'unknown-agent',
    undefined,
    known,
  ],
  [
    'an agent in another case',
    xml('<step id="1"><agent> A </agent><action>x</action></step>'),
    'ok',
    'added-respond',
    known,
  ],
  ['no step', xml(''), 'ok', 'added-respond'],
  [
    '501 steps',
    xml(Array.from({ length: 501 }, (_, index) => xmlStep('', String(index))).join('')),
    'too-many-nodes',
    undefined,
    small,
  ],
  ['100,000 levels', `<plan>${'<a>'.repeat(100_000)}`, 'too-deep'],
  [
    '100,000 attributes',
    `<plan ${Array.from({ length: 100_000 }, (_, index) => `a${index}="1"`).join(' ')}></plan>`,
    'invalid-xml',
  ],
  ['text between elements', xml(`text${xmlStep()}`), 'ok', 'unknown-key'],
  ['JSON where XML was asked for', tree(task()), 'unknown-format', undefined, { format: 'xml' }],
];

export const HOSTILE_STEPS: readonly HostileDocument[] = [
  ['steps that are a text', text({ goal: 'g', steps: 'a' }), 'missing-steps'],
  ['no steps', text({ goal: 'g', steps: [] }), 'ok', 'added-respond'],
  ['an objective alone', text({ objective: 'g' }), 'missing-steps'],
  [
    'keys 1 and "1"',
    text({
      goal: 'g',
      steps: [
        { step_id: 1, action: 'a' },
        { step_id: '1', action: 'b' },
      ],
    }),
    'duplicate-step-key',
  ],
  ['the key of the step that is added', text({ goal: 'g', steps: [step('user_response')] }), 'ok', 'added-respond'],
  ['a key that is a list', steps(step([])), 'invalid-step-key'],
  ['inputs listed twice', steps(step('a'), step('b', { inputs: ['a', 'a'] })), 'ok', 'ignored-key'],
  ['a capability in another case', steps(step('a', { capability: 'Search' })), 'unknown-capability', undefined, known],
  ['RESPOND', text({ goal: 'g', steps: [step('a', { capability: 'RESPOND' })] }), 'ok', undefined, known],
  ['no answer at the end', text({ goal: 'g', steps: [step('a')] }), 'ok', 'added-respond'],
  [
    'a template of another language',
    steps(step('a', { parameters: { q: '{{user.name}} ${process.env.X}' } })),
    'ok',
    'unread-reference',
  ],
  [
    'a template with the result of a step',
    steps(step('a', { parameters: { q: '{{steps.1.output}} ${process.env.X}' } })),
    'unread-reference',
  ],
  ['a step that is null', steps(null), 'not-a-step'],
  ['an unknown key of a step', steps(step('a', { evil: 1 })), 'ok', 'unknown-key'],
];
