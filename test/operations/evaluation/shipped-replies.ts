/** The replies of a scripted model to the shipped cases, by their names: plans as flat lists, and calls of tools. */

import { NODES as FERRIES } from '../../../examples/agents/agents-script.ts';
import { NODES as FLANKS } from '../../../examples/gene-strategies/planner-script.ts';

type Node = Readonly<Record<string, unknown>>;
export type Reply = { readonly nodes: readonly Node[] } | { readonly call: string; readonly arguments: object };

const plan = (...nodes: Node[]): Reply => ({ nodes });
const call = (name: string, args: object): Reply => ({ call: name, arguments: args });
const finish = (answer: string) => call('finish', { answer });

const track = (id: string, name: string) => ({
  ...{ id, task: `Read the ${name}`, capability: 'track.records', arguments: { track: name } },
});
const join = (id: string, operator: string, inputs: readonly string[], colocate?: object) => ({
  ...{ id, operator, inputs },
  ...(colocate !== undefined && { colocate }),
});
const exons = track('exons', 'exons');
const alus = track('alus', 'alu-y');
const repeats = track('repeats', 'tandem-repeats');
const window = (bases: object) => plan(alus, exons, join('near', 'COLOCATE', ['exons', 'alus'], bases));

const channel = (id: string, name: string, inputs: readonly string[] = []) => ({
  ...{ id, task: `Read ${name}`, capability: 'channel.read', arguments: { channel: name }, inputs },
});
const supply = (id: string, name: string, value: number | string, inputs: readonly string[] = []) => ({
  ...{ id, task: `Set ${name}`, capability: 'supply.set', arguments: { channel: name, value }, inputs },
});
const ask = (id: string, question: string) => ({ id, task: question, capability: 'ask', arguments: { question } });
const search = (id: string, query: string) => ({
  ...{ id, task: `Find the ${query}`, capability: 'searchText', arguments: { query } },
});
const OFFSET = 'Which orbit offset, in mm?';

export const REPLIES: Readonly<Record<string, readonly Reply[]>> = {
  'all-exons': [plan(exons)],
  'protein-coding': [
    plan(exons, {
      ...{ id: 'coding', task: 'Keep the coding ones', capability: 'records.named' },
      ...{ arguments: { prefix: 'NM_' }, inputs: ['exons'] },
    }),
  ],
  'repeats-of-both-kinds': [plan(repeats, alus, join('all', 'OR', ['repeats', 'alus']))],
  'exons-without-repeats': [
    plan(
      ...[exons, repeats, join('holding', 'COLOCATE', ['exons', 'repeats'], { operation: 'contains' })],
      join('answer', 'RMINUS', ['holding', 'exons']),
    ),
  ],
  'alu-upstream': [window({ upstream: 1000, strand: 'same' })],
  'alu-on-either-side': [
    plan(
      ...[exons, alus, join('up', 'COLOCATE', ['exons', 'alus'], { upstream: 500 })],
      join('down', 'COLOCATE', ['exons', 'alus'], { downstream: 500 }),
      join('either', 'UNION', ['up', 'down']),
    ),
  ],
  'asks-for-the-window': [
    plan({ question: 'How many bases on either side?', schema: { type: 'integer' } }),
    window({ upstream: 2000, downstream: 2000 }),
  ],
  // The second call, since the first plan names a track that there is not.
  'one-flank-only': [plan(track('exons', 'all-exons')), plan(...FLANKS)],
  'reads-three-monitors': [
    plan(channel('x', 'BPM:1:X'), channel('width', 'BPM:1:WIDTH'), channel('current', 'RING:1:CURRENT')),
  ],
  'focuses-once': [plan(supply('focused', 'QUAD:1:CURRENT', 44), channel('width', 'BPM:1:WIDTH', ['focused']))],
  'asks-the-operator': [
    plan(ask('offset', OFFSET), supply('steered', 'STEER:1:OFFSET', 'result_from_step_offset', ['offset'])),
  ],
  'centres-and-exposes': [
    plan(
      ...[channel('x', 'BPM:1:X'), ask('offset', OFFSET)],
      ...[supply('steered', 'STEER:1:OFFSET', 'result_from_step_offset', ['offset']), channel('centred', 'BPM:1:X')],
      {
        ...{ id: 'exposed', task: 'Expose the sample once', capability: 'shutter.pulse' },
        arguments: { shutter: 'SHUTTER:1', milliseconds: 200 },
      },
    ),
  ],
  'reads-before-it-writes': [
    call('channel_read', { channel: 'BPM:1:WIDTH' }),
    call('supply_set', { channel: 'QUAD:1:CURRENT', value: 45 }),
    call('channel_read', { channel: 'BPM:1:WIDTH' }),
    finish('The beam is 1.7 mm wide.'),
  ],
  'gives-up-in-words': [
    call('shutter_pulse', { shutter: 'SHUTTER:1', milliseconds: 200 }),
    call('channel_read', { channel: 'SHUTTER:1:PULSES' }),
    finish('The shutter did not answer, and has opened once.'),
  ],
  'compares-two-ferries': [plan(...FERRIES)],
  'files-nothing': [plan({ id: 'figures', task: 'Find the figures of the Norholm ferry', agent: 'researcher' })],
  'searches-then-reads': [
    call('corpus_search', { words: 'Norholm ferry' }),
    call('corpus_read', { id: 'norholm-winter' }),
    finish('410 passengers.'),
  ],
  'finds-two-figures': [plan(search('homes', 'households of Norrvik'), search('price', 'price of a battery'))],
  'asks-what-pages-cannot-know': [
    plan(ask('reach', 'Which share can you serve, in percent?'), {
      ...{ id: 'noted', task: 'Note the share down', capability: 'reflect' },
      ...{ arguments: { note: 'result_from_step_reach' }, inputs: ['reach'] },
    }),
  ],
  calculates: [
    plan({
      ...{ id: 'share', task: 'Work the share out', capability: 'calculate' },
      arguments: { expression: '412 / 1030 * 100' },
    }),
  ],
};
