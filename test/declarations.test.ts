/** Every field of a declaration has a reader: a file that is not its own, with the expression that reads it. */

import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readCode } from './support/source-files.ts';

type Readers = Readonly<Record<string, readonly [file: string, expression: string]>>;

/** By the interface that declares them. A field that is only checked, shown or hashed promises what nothing keeps. */
const DECLARATIONS: Readonly<Record<string, Readers>> = {
  'define/capability.ts Declared': {
    name: ['builtin/registry.ts', 'byName.set(one.name, one)'],
    version: ['wire/contract/slice.ts', '@${version}'],
    description: ['loop/round/tools.ts', 'description : fenced(describedBy, description'],
    describedBy: ['loop/prompts/guides.ts', "const { describedBy = '' } = one"],
    input: ['define/read-arguments.ts', 'input.safeParse(args)'],
    output: ['worker/activities/keep-returned.ts', 'declares a ${output}'],
    effect: ['worker/activities/slice-of-plan.ts', "const { effect = 'read', resource } = executor"],
    usesGoal: ['worker/activities/carry-out-node.ts', 'usesGoal'],
    timeout: ['worker/activities/slice-of-plan.ts', '...timeout'],
    retry: ['worker/activities/retry-of.ts', '...retry,'],
    cost: ['engine/run/approval/rules.ts', 'minCost'],
    requires: ['loop/round/surroundings.ts', '?.requires'],
    provides: ['loop/round/surroundings.ts', 'provides.includes'],
    guide: ['loop/prompts/guides.ts', 'guide.when'],
    look: ['builtin/look-at-plan.ts', 'own.look?.('],
    alwaysActive: ['loop/select-capabilities.ts', 'alwaysActive !== true'],
  },
  'define/capability.ts WorkCapability': {
    kind: ['worker/activities/slice-of-plan.ts', "capability?.kind === 'wait'"],
    resource: ['builtin/registry.ts', 'resource'],
    alone: ['worker/activities/slice-of-plan.ts', 'capability?.alone === true'],
  },
  'define/capability.ts CapabilityGuide': {
    when: ['loop/round/tools.ts', 'guide.when'],
    examples: ['loop/prompts/guides.ts', 'guide?.examples'],
  },
  'define/task-context.ts CapabilityTimeouts': {
    startToCloseMs: ['engine/workflows/starters.ts', 'startToCloseTimeout: executor.startToCloseMs'],
    scheduleToCloseMs: ['engine/workflows/starters.ts', 'scheduleToCloseTimeout: executor.scheduleToCloseMs'],
    heartbeatMs: ['engine/workflows/starters.ts', 'heartbeatTimeout: executor.heartbeatMs'],
  },
  'define/task-context.ts CapabilityRetry': {
    attempts: ['worker/activities/carry-out-node.ts', '.attempts'],
    initialMs: ['engine/workflows/starters.ts', 'initialInterval: initialMs'],
    factor: ['engine/workflows/starters.ts', 'backoffCoefficient: factor'],
  },
  'define/agent.ts Agent': {
    name: ['builtin/registry.ts', 'executors.set(one.name, agentExecutor(one))'],
    description: ['loop/round/tools.ts', '${description}'],
    instructions: ['loop/round/decision-request.ts', 'agent.instructions'],
    model: ['edge/own-worker/open-models.ts', 'agent?.model'],
    policy: ['worker/activities/decider.ts', 'agent.policy'],
    capabilities: ['worker/activities/decider.ts', '...agent.capabilities'],
    limits: ['worker/activities/slice-of-plan.ts', 'agent.limits'],
    budget: ['engine/workflows/starters.ts', 'executor.budget'],
  },
  'define/agent.ts AgentModel': {
    name: ['edge/config/model-settings.ts', 'const { name, baseURL'],
    temperature: ['edge/config/model-settings.ts', 'temperature ?? undefined'],
    maxTokens: ['edge/config/model-settings.ts', 'undefined, maxTokens'],
  },
  'define/agent.ts AgentLimits': {
    rounds: ['engine/workflows/starters.ts', 'executor.rounds'],
    attempts: ['engine/workflows/starters.ts', 'attempts: executor.retry.attempts'],
    attemptMs: ['loop/round/surroundings.ts', 'late.abort(), attemptMs'],
  },
  'edge/config/define-config.ts PlanwrightConfig': {
    capabilities: ['edge/config/load-config.ts', 'capabilities = [],'],
    agents: ['edge/config/load-config.ts', 'planner: planner.model, agents }'],
    tasks: ['edge/config/load-config.ts', 'defaultExecutor: tasks?.default'],
    model: ['edge/own-worker/open-models.ts', 'modelSettings(model)'],
    planner: ['edge/own-worker/open-models.ts', 'planner?.model'],
    mode: ['engine/run/draft.ts', "{ mode = 'plan-first' } = project"],
    policy: ['worker/activities/decider.ts', 'policy ?? modelPolicy'],
    conversation: ['edge/project/open-project.ts', 'loaded.conversation ? await conversationCapabilities'],
    results: ['edge/config/load-config.ts', 'storeOf(dirname(file), results, file)'],
    encryption: ['cli/working/worker.ts', 'encryptionKeys(project.encryption)'],
    budget: ['engine/run/spending/purse.ts', 'project.spending'],
    files: ['edge/config/load-config.ts', 'folders: files?.folders'],
    mcp: ['edge/project/open-project.ts', 'withMcpSecrets(mcp ?? {})'],
    taskQueue: ['edge/config/load-config.ts', 'taskQueue ?? DEFAULT_TASK_QUEUE'],
    identity: ['edge/config/load-config.ts', 'readIdentity(identity, '],
    approval: ['edge/config/load-config.ts', 'parseRules(approval.rules'],
  },
  'edge/config/define-config.ts PlannerConfig': {
    model: ['edge/own-worker/open-models.ts', 'planner?.model'],
    prompts: ['edge/own-worker/open-models.ts', 'planner?.prompts'],
    format: ['loop/write-plan.ts', "format === 'xml'"],
  },
  'edge/config/define-config.ts ConfiguredMcpServer': {
    command: ['builtin/mcp/transport.ts', '...{ command, args: [...args]'],
    args: ['builtin/mcp/transport.ts', 'args: [...args]'],
    env: ['builtin/mcp/transport.ts', 'env: { ...env }'],
    url: ['builtin/mcp/transport.ts', 'new URL(url)'],
    headers: ['builtin/mcp/transport.ts', 'headers: { ...headers }'],
    read: ['builtin/mcp/open-tools.ts', 'read.includes(tool.name)'],
  },
  'edge/config/define-config.ts ConfiguredKey': {
    publicKey: ['edge/config/read-identity.ts', 'publicKey'],
    subject: ['wire/identity/token/verify-token.ts', 'sub !== subject'],
    roles: ['wire/identity/token/verify-token.ts', 'roles ??'],
    person: ['wire/identity/token/verify-token.ts', 'key.person === true'],
  },
  'edge/config/model-settings.ts ModelSettings': {
    baseURL: ['model/wire-settings.ts', 'baseURL.replace'],
    name: ['model/openai-call.ts', 'model: name'],
    api: ['model/openai-call.ts', "api === 'chat'"],
    format: ['model/ask-format.ts', 'support'],
    prices: ['model/openai-call.ts', 'priceOf(prices'],
    temperature: ['model/chat.ts', 'temperature !== undefined'],
    maxTokens: ['model/chat.ts', 'max_tokens: maxTokens'],
    timeout: ['model/openai-call.ts', '} = timeout'],
    patience: ['edge/config/model-settings.ts', 'durationMs(patience)'],
    replyBytes: ['model/openai-call.ts', 'most: replyBytes'],
    reasoningEffort: ['model/chat.ts', 'reasoning_effort: reasoningEffort'],
    headers: ['model/wire-settings.ts', 'Object.entries(headers)) all.set'],
    query: ['model/wire-settings.ts', 'Object.entries(query)) url'],
    extraBody: ['model/openai-call.ts', '...extraBody'],
    tokensName: ['model/personality.ts', '[tokensName]: bound'],
    omit: ['model/personality.ts', 'omit.reduce(without'],
  },
  'edge/config/model-settings.ts ModelTimeout': {
    totalMs: ['model/call-watch.ts', ', totalMs)'],
    idleMs: ['model/call-watch.ts', ', idleMs)'],
  },
  'wire/contract/options.ts RunOptions': {
    mode: ['engine/run/start.ts', 'options.mode'],
    approval: ['engine/run/run.ts', 'options.approval'],
    approvalDeadlineMs: ['engine/run/run.ts', 'options.approvalDeadlineMs'],
    answerDeadlineMs: ['engine/run/talk/questions.ts', 'options.answerDeadlineMs'],
    maxRejections: ['engine/run/approval/approval.ts', 'bounds.maxRejections'],
    maxRevisions: ['engine/run/talk/judge.ts', 'maxRevisions'],
    onFailure: ['engine/run/run.ts', 'onFailure'],
    maxRounds: ['engine/run/loop/rounds.ts', 'loop.maxRounds'],
    concurrency: ['engine/run/run.ts', 'openExecution(slice, concurrency)'],
    lane: ['engine/run/parts.ts', "lane = 'auto'"],
    budget: ['engine/run/spending/purse.ts', 'options.budget'],
    limits: ['worker/activities/decide-step.ts', 'limitsOfModel(limits)'],
    context: ['worker/activities/compile-plan.ts', 'context'],
    conversation: ['engine/workflows/requests.ts', '{ conversation }: RunOptions'],
    reuse: ['engine/workflows/requests.ts', '{ reuse, fresh }: RunOptions'],
    fresh: ['engine/workflows/requests.ts', 'fresh && { fresh }'],
  },
};

/** Of the fields that are bounds the test that tries a value beyond it, and how it writes it. */
const BEYOND: Readonly<Record<string, readonly [test: string, beyond: string]>> = {
  'CapabilityRetry attempts': ['activities/attempts.test.ts', "['as often as it may', 2"],
  'CapabilityRetry initialMs': ['activities/retry-policy.test.ts', 'initialMs: 500'],
  'CapabilityRetry factor': ['activities/retry-policy.test.ts', 'factor: 1.5'],
  'CapabilityTimeouts startToCloseMs': ['activities/attempts.test.ts', 'startToCloseTimeoutMs: 10'],
  'CapabilityTimeouts scheduleToCloseMs': ['activities/bounds.test.ts', 'scheduleToCloseMs: 3_600_000'],
  'CapabilityTimeouts heartbeatMs': ['activities/bounds.test.ts', 'heartbeatMs: 60_000'],
  'AgentLimits rounds': ['capabilities/agent.test.ts', 'rounds: 21'],
  'AgentLimits attempts': ['run/bounds.test.ts', "toEqual([5, 'PlanFailed'])"],
  'AgentLimits attemptMs': ['activities/model-gate.test.ts', 'limits: { attemptMs: 20 }'],
  'AgentModel temperature': ['capabilities/bounds.test.ts', 'agent(2.1)'],
  'ModelSettings temperature': ['client/bounds.test.ts', "['temperature', 2, 0.1]"],
  'ModelSettings replyBytes': ['planner/model/hostile-pieces.test.ts', 'replyBytes: 4096'],
  'ModelTimeout totalMs': ['config/read-models.test.ts', 'at most 3600000'],
  'ModelTimeout idleMs': ['planner/model/answers.test.ts', 'idleMs: 50'],
  'RunOptions approvalDeadlineMs': ['run/deadlines.test.ts', 'approvalDeadlineMs: 1000'],
  'RunOptions answerDeadlineMs': ['run/talk/mailbox.test.ts', 'answerDeadlineMs: 1000'],
  'RunOptions maxRejections': ['run/bounds.test.ts', "['maxRejections', 100"],
  'RunOptions maxRevisions': ['run/bounds.test.ts', "['maxRevisions', 100"],
  'RunOptions maxRounds': ['run/bounds.test.ts', "['maxRounds', 10_000"],
  'RunOptions concurrency': ['run/bounds.test.ts', 'wideSlice(101)'],
  'RunOptions limits': ['activities/model-gate.test.ts', '{ nodes: 2 }'],
  'RunOptions budget': ['run/spending/spend.test.ts', 'tokens: 50'],
  'RunOptions conversation': ['run/bounds.test.ts', "['conversation', 200"],
  'RunOptions reuse': ['run/bounds.test.ts', "['reuse', 1000"],
};

/** A field with such a name is a bound. */
const IS_BOUND = /Ms$|^max|^(?:attempts|rounds|factor|concurrency|limits|budget|replyBytes)$/;
/** Objects of bounds, whose own fields stand apart; and what is handed to a server that bounds by it. */
const HAS_ITS_OWN = new Set([
  'Agent limits',
  'Agent budget',
  'PlanwrightConfig budget',
  'AgentModel maxTokens',
  'ModelSettings maxTokens',
]);

test('each field that is a bound has a test that tries a value beyond it', () => {
  const fields = Object.entries(DECLARATIONS).flatMap(([declaration, readers]) =>
    Object.keys(readers).map((field) => `${declaration.split(' ')[1]} ${field}`),
  );
  const bounds = fields.filter((field) => IS_BOUND.test(field.split(' ')[1]!) && !HAS_ITS_OWN.has(field));
  expect(bounds.filter((field) => !(field in BEYOND))).toEqual([]);
  expect(Object.keys(BEYOND).filter((field) => !fields.includes(field))).toEqual([]);
});

test.each(Object.entries(BEYOND))('beyond %s', (_, [file, beyond]) => {
  expect(readFileSync(join(ROOT, 'test', file), 'utf8')).toContain(beyond);
});

/** The fields of an interface, of those that it holds itself. */
function fieldsOf(declaration: string): readonly string[] {
  const [file = '', name = ''] = declaration.split(' ');
  const code = readCode(`src/${file}`);
  const start = code.search(new RegExp(`interface ${name}\\b`));
  const body = code.slice(start, code.indexOf('\n}', start));
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = '']) => field);
}

describe.each(Object.entries(DECLARATIONS))('%s', (declaration, readers) => {
  test('each field has a reader named here, and each reader a field', () => {
    expect(Object.keys(readers).toSorted()).toEqual([...fieldsOf(declaration)].toSorted());
  });

  test.each(Object.entries(readers))('%s is read', (_, [file, expression]) => {
    expect(readCode(`src/${file}`)).toContain(expression);
  });
});
