/** A text from outside costs no more than its length, whatever reads it: what repeats in it is not searched again and again. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHtml } from '../src/capabilities/builtin/fetch-page/html-text.ts';
import { compilePlan, exactJson } from '../src/plan/index.ts';
import { oneLine, quote, withoutHidden } from '../src/plan/text/index.ts';
import { jsonOfReply, readPlanReply } from '../src/planner/form/index.ts';
import { textCalls } from '../src/planner/round/text-calls.ts';
import { toolsFor } from '../src/planner/round/tools.ts';
import { readIdList } from '../src/store/read-id-list.ts';
import { readBed } from '../src/store/tracks/read-track-file.ts';
import { readGff3 } from '../src/store/tracks/read-gff3.ts';

/** What is read where a worker does all else is at most four times as long. */
const LENGTH = 64 * 1024;
/** Ten times the time of the processor that reading may take; the square of the length takes longer. */
const LIMIT_MS = 10 * 100;

const tools = toolsFor({ capabilities: [], agents: [], plans: true });
const stepWith = (step: object) => compilePlan(JSON.stringify({ goal: 'g', steps: [{ context_key: 'a', ...step }] }));
const FEATURE = 'chr1\t.\tgene\t10\t20\t.\t+\t.\tID=a';

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a plan': (text) => compilePlan(text),
  'arguments of a step': (text) => stepWith({ task: 'x', arguments: { x: text }, args: text }),
  'words of a step': (text) => stepWith({ task: text, description: text }),
  'dependencies of a step': (text) => stepWith({ task: 'x', dependencies: text, inputs: [text] }),
  'a key of a step': (text) => stepWith({ task: 'x', [text]: 1, context_key: text }),
  'a reply with a plan': (text) => readPlanReply({ text }),
  'a reply with JSON': (text) => jsonOfReply({ text }),
  'a reply with calls': (text) => textCalls(text, tools),
  'the result of a tool': (text) => exactJson(text),
  'a page': (text) => readHtml(text),
  BED: (text) => readBed(`c\t1\t2\n${text}`, { id: 'name', skip: true }),
  GFF3: (text) => readGff3(`${FEATURE};${text}`, { id: 'name', skip: true }),
  'a list of ids': (text) => readIdList(text, true),
  'a message': (text) => [oneLine(text), quote(text), withoutHidden(text)],
};

const MARKS = [
  ...[' ', '\t', '\n', '\r', '```\n', 'a: 1\n', '- 1\n', '- a: ', '---\n', 'goal: g\nsteps:\n', '\ud800', '\u202e'],
  ...['output of step a', ' to=a', '<invoke name="a">', '[Calling tool: a', '[TOOL_CALLS]a', '<|tool_call_begin|>a'],
  ...String.raw`" \" \ ' “ { } {"a": "a":1, [ ] [1, 1 - . , : = a é ( ) a( a(b= / // /* */ # %41 ; < > </ <!-- -->`.split(
    ' ',
  ),
  ...'<think> </think> <plan> </plan> & &amp; $ ${ {{ [[ @ <tool_call> <function=a> <parameter=a <arg_key>a'.split(' '),
  ...'[ARGS] <｜tool▁call▁begin｜> <|channel|> <|constrain|> <|message|> result_from_step_ steps.a 1e5'.split(' '),
];
const mark = fc.constantFrom('', ...MARKS);
const hostile = fc.tuple(
  mark,
  fc.array(mark, { minLength: 1, maxLength: 3 }).map((marks) => marks.join('')),
  mark,
);
/** What once took the square of its length, or more. */
const KNOWN: readonly (readonly [string, string, string])[] = [
  ['"', '\\"', ''],
  ['{', '"', '}'],
  ['', 'result_from_step_', ''],
  ['goal: g\nsteps:\n', '}', ''],
  ['[TOOL_CALLS]a', ' ', ''],
  ['<|tool_call_begin|>', 'a', ''],
  ['<|channel|>', ' to=a', ''],
  ['[Calling tool: a', ' ', ''],
];

test.each(Object.entries(READERS))('%s', (_, read) => {
  const property = fc.property(hostile, ([begin, repeated, end]) => {
    const text = `${begin}${repeated.repeat(Math.ceil(LENGTH / Math.max(1, repeated.length)))}${end}`;
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    expect(Math.round((user + system) / 1000)).toBeLessThan(LIMIT_MS);
  });
  fc.assert(property, { numRuns: 25, seed: 20_263, examples: KNOWN.map((known) => [[...known]]) });
});
