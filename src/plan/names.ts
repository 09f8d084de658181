/** Every key of a plan document, also those of other systems. Readers, schema and pages use this table. */

type Shape = 'text' | 'name' | 'json' | 'arguments' | 'ids' | 'node' | 'nodes' | 'other';

export interface Name {
  /** The keys that are read without a warning. If a document has several of them, the first one counts. */
  readonly keys: readonly [string, ...string[]];
  readonly shape: Shape;
  readonly about?: string;
  /** Keys of other systems with the same meaning. They are read with a warning. */
  readonly foreign?: readonly string[];
}

type Names = Readonly<Record<string, Name>>;

export const FOREIGN_KEYS = {
  edges: [
    ...['depends_on', 'dependsOn', 'depends', 'dependency', 'dependencies', 'dep', 'deps', 'needs', 'requires'],
    ...['prerequisites', 'run_after', 'runAfter', 'after', 'blocked_by', 'blockedBy', 'predecessors'],
  ],
  arguments: [
    ...['args', 'kwargs', 'tool_args', 'toolArgs', 'tool_input', 'toolInput', 'tool_arguments', 'toolArguments'],
    ...['action_input', 'actionInput', 'function_args', 'functionArgs'],
  ],
  executors: ['tool', 'tool_name', 'toolName', 'function', 'function_name', 'functionName', 'func', 'tool_id'],
  agents: ['agent_name', 'agentName'],
  operands: ['operands', 'children'],
  left: ['primaryInput', 'primary_input'],
  right: ['secondaryInput', 'secondary_input'],
  nodes: ['children', 'subtasks', 'sub_tasks', 'substeps', 'sub_steps', 'steps', 'tasks', 'nodes', 'subplan'],
} as const satisfies Record<string, readonly string[]>;

export const OTHER_NAMES: readonly string[] = ['title', 'name', 'output', 'output_key', 'result_key', 'save_as'];

/** Keys for remarks on a node. Like all keys that begin with `x-`, they give a warning and change nothing. */
export const NOTE_KEYS: readonly string[] = ['metadata', 'tags', 'notes', 'risks'];

export function isNote(key: string): boolean {
  return NOTE_KEYS.includes(key) || key.startsWith('x-');
}

export const NODE_TYPES = { task: ['task', 'step', 'subtask'], combine: ['combine', 'op', 'operator'] } as const;

const EXECUTORS = {
  capability: {
    keys: ['capability'],
    shape: 'name',
    about: 'The capability that carries it out.',
    foreign: FOREIGN_KEYS.executors,
  },
  agent: {
    keys: ['agent'],
    shape: 'name',
    about: 'The agent that carries it out, where there is no capability.',
    foreign: FOREIGN_KEYS.agents,
  },
} as const satisfies Names;

export const COLOCATE_FIELDS = ['upstream', 'downstream', 'strand', 'operation', 'output', 'invert'] as const;

interface SpanName {
  readonly field?: (typeof COLOCATE_FIELDS)[number];
  /** This project's words for VEuPathDB's words. Without them, the parameter is a number of bases. */
  readonly words?: Readonly<Record<string, string>>;
  readonly isOptional?: true;
  /** Set if the parameter repeats others or the node's operands. It is then not read. */
  readonly isRepeated?: true;
}

const ANCHORS = { words: { start: 'start', stop: 'stop' } };
const DIRECTIONS = { words: { '+': 'downstream', '-': 'upstream' } };

/** VEuPathDB's names of the parameters of COLOCATE. Side a is left, and side b is right. */
export const SPAN_LOGIC: Readonly<Record<string, SpanName>> = {
  span_strand: {
    field: 'strand',
    words: { 'both strands': 'both', 'same strand': 'same', 'opposite strand': 'opposite' },
    isOptional: true,
  },
  span_operation: {
    field: 'operation',
    words: { overlap: 'overlap', a_contain_b: 'contains', b_contain_a: 'within' },
    isOptional: true,
  },
  // The documented default of this parameter is "none", which VEuPathDB itself rejects.
  span_output: { field: 'output', words: { a: 'left', b: 'right' } },
  ...Object.fromEntries(
    ['span_a', 'span_b', 'span_sentence', 'region_a', 'region_b'].map((name) => [name, { isRepeated: true }] as const),
  ),
  ...Object.fromEntries(
    ['begin_a', 'end_a', 'begin_b', 'end_b'].flatMap((place) => {
      const [end, side] = place.split('_');
      return [
        [`span_${place}`, ANCHORS],
        [`span_${end}_direction_${side}`, DIRECTIONS],
        [`span_${end}_offset_${side}`, {}],
      ] as const;
    }),
  ),
};

/** The keys of every form of a plan. The keys under `any` belong to every kind of node. */
export const NAMES = {
  any: {
    type: {
      keys: ['type', 'kind'],
      shape: 'text',
      about: `${NODE_TYPES.task.join(', ')}, ${NODE_TYPES.combine.join(', ')}; told by the other keys where it is left out.`,
    },
    id: { keys: ['id'], shape: 'other', about: 'Echoed in messages, and not stored.' },
    displayName: { keys: ['display_name', 'displayName'], shape: 'text', about: 'How it is shown.' },
  },
  task: {
    task: { keys: ['task', 'text'], shape: 'text', about: 'What is to be done.' },
    hint: { keys: ['hint', 'instructions'], shape: 'text', about: 'How it is best done.' },
    context: { keys: ['context', 'parameters', 'params'], shape: 'json', about: 'Any JSON that the task needs.' },
    ...EXECUTORS,
    arguments: {
      keys: ['arguments'],
      shape: 'arguments',
      about: 'Arguments of the capability.',
      foreign: FOREIGN_KEYS.arguments,
    },
    input: { keys: ['input'], shape: 'node', about: 'The node whose result it takes.', foreign: ['inputs'] },
  },
  combine: {
    operator: { keys: ['operator', 'op'], shape: 'text', about: 'The set operator, under any of its names.' },
    left: { keys: ['left'], shape: 'node', about: 'The left operand.', foreign: FOREIGN_KEYS.left },
    right: { keys: ['right'], shape: 'node', about: 'The right operand.', foreign: FOREIGN_KEYS.right },
    inputs: {
      keys: ['inputs'],
      shape: 'nodes',
      about: 'Both operands in a list, in place of left and right.',
      foreign: FOREIGN_KEYS.operands,
    },
    colocate: {
      keys: ['colocate'],
      shape: 'other',
      about: `Parameters of COLOCATE: ${COLOCATE_FIELDS.join(', ')}, or a region for left and right.`,
    },
  },
  step: {
    contextKey: {
      keys: ['context_key', 'step_id'],
      shape: 'text',
      about: 'The name of its result.',
      foreign: ['id', 'step'],
    },
    objective: {
      keys: ['task_objective'],
      shape: 'text',
      about: 'What is to be done; else description, else action.',
      foreign: ['task', 'text', 'objective'],
    },
    arguments: {
      keys: ['parameters', 'arguments'],
      shape: 'arguments',
      about: 'Any JSON; the text result_from_step_N stands for the result of a step.',
      foreign: [...FOREIGN_KEYS.arguments, 'params', 'input'],
    },
    ...EXECUTORS,
    action: { keys: ['action'], shape: 'text' },
    description: {
      keys: ['description'],
      shape: 'text',
      foreign: ['hint', 'instructions', 'prompt', 'prompt_template'],
    },
    expectedOutput: { keys: ['expected_output'], shape: 'text', about: 'What it is to give.' },
    successCriteria: { keys: ['success_criteria'], shape: 'text', about: 'When it succeeded.' },
    undoes: { keys: ['undoes'], shape: 'text', about: 'The node of a closed run that it undoes; `undo` writes it.' },
    inputs: {
      keys: ['inputs'],
      shape: 'other',
      about: 'Keys of earlier steps, or objects of types and the keys that they are taken from.',
    },
    dependencies: { keys: ['dependencies'], shape: 'ids', about: 'Ids of earlier steps.', foreign: FOREIGN_KEYS.edges },
  },
  tree: {
    goal: { keys: ['goal'], shape: 'text', about: 'What the plan is for.' },
    plan: { keys: ['plan'], shape: 'node', about: 'The root of the tree.' },
  },
  list: {
    goal: { keys: ['goal', 'objective'], shape: 'text', about: 'What the plan is for.' },
    steps: { keys: ['steps'], shape: 'other', about: 'The steps in their order.' },
    complexity: { keys: ['complexity'], shape: 'text', about: 'low, medium or high; it scales the timeouts.' },
    estimatedTime: { keys: ['estimated_time'], shape: 'text', about: 'Minutes.' },
    planId: { keys: ['plan_id'], shape: 'other', about: 'Not kept.' },
  },
} as const satisfies Readonly<Record<string, Names>>;

export type Form = keyof typeof NAMES;

export function keysOf(...forms: readonly Form[]): readonly string[] {
  return forms.flatMap((form) => Object.values<Name>(NAMES[form]).flatMap(({ keys }) => [...keys]));
}
