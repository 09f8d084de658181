import { CONTROL_ACTIONS, CONTROLS, DECISION_KINDS, given, isRecord, type OpenItem } from '../protocol/index.ts';
import { exactJson } from '../plan/index.ts';
import { quote } from '../plan/text/index.ts';
import { OperationError, performSent, type Plans } from '../operations/index.ts';
import { controlOf, fieldOf, readField, type Sent } from '../operations/words/index.ts';

/** An unsigned message without its sender. */
export interface PageMessage {
  readonly workflowId: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The number of effects from the page of all effects, if the card lists only some. Not part of the message. */
  readonly allSeen?: number;
}

export interface PageSender {
  readonly by: string;
  readonly role?: string | undefined;
}

/** Maximum number of runs that one form addresses. Others are counted. */
export const MAX_LISTED_RUNS = 500;

/**
 * The messages of a form, one for each run and node in it.
 * @param openItems returns a run's open items, for the answered question
 * @throws OperationError INPUT_INVALID that names the field
 */
export async function messagesOf(
  sent: Sent,
  openItems: (workflowId: string) => Promise<readonly OpenItem[]>,
): Promise<readonly PageMessage[]> {
  const runs = [...new Set(sent('run'))];
  if (runs.length === 0 || runs.length > MAX_LISTED_RUNS)
    throw invalid(`run: expected 1 to ${MAX_LISTED_RUNS} runs, got ${runs.length}; choose one`);
  const [first = ''] = runs;
  const body = await bodyOf(sent, () => openItems(first));
  const effectsSeen = body['kind'] === 'approve' ? effectsSeenIn(sent) : {};
  const nodes = 'node' in body ? [...new Set(sent('node'))] : [];
  const each = nodes.length < 2 ? [body] : nodes.map((node) => ({ ...body, node }));
  if (runs.length * each.length > MAX_LISTED_RUNS)
    throw invalid(`run and node: expected at most ${MAX_LISTED_RUNS} messages, got ${runs.length * each.length}`);
  return runs.flatMap((workflowId) => each.map((message) => ({ workflowId, body: message, ...effectsSeen })));
}

export function effectsSeenIn(sent: Sent): Pick<PageMessage, 'allSeen'> {
  return given({ allSeen: countIn(sent, 'allSeen') });
}

function countIn(sent: Sent, name: string): number | undefined {
  const [count = ''] = sent(name);
  return /^\d{1,9}$/.test(count) ? Number(count) : undefined;
}

async function bodyOf(sent: Sent, openItems: () => Promise<readonly OpenItem[]>): Promise<PageMessage['body']> {
  const does = singleField(sent, 'does');
  const [comment, digest] = [singleField(sent, 'comment'), singleField(sent, 'digest')];
  const decision = DECISION_KINDS.find((kind) => kind === does);
  if (decision !== undefined) {
    const nodes = decision === 'approve-part' ? nodesIn(sent) : undefined;
    const feedback = decision === 'revise' ? singleField(sent, 'feedback') : undefined;
    const plan = decision === 'edit' ? singleField(sent, 'plan') : undefined;
    const shown = decision.startsWith('approve') ? singleField(sent, 'shown') : undefined;
    return given({ kind: decision, digest, shown, comment, nodes, feedback, plan });
  }
  if (does === 'answer') return answerIn(sent, digest, await openItems());
  const { action: verb, outcome } = { outcome: undefined, ...controlOf(does ?? '') };
  const action = CONTROL_ACTIONS.find((name) => name === verb);
  if (action === undefined) throw invalid(`does: expected what is to be done, got ${quote(does ?? 'nothing')}`);
  // If the form has no field for a result, it is null: a person may know that an effect happened, but not its result.
  const gave = () => (sent('value').length === 0 ? null : valueIn(sent));
  const value = outcome === 'succeeded' ? gave() : undefined;
  // A node id may name another node in the next plan, so the digest is sent with it.
  const boundDigest = CONTROLS[action].node === 'none' ? undefined : digest;
  return given({ action, node: singleField(sent, 'node'), outcome, value, comment, digest: boundDigest });
}

/** The answer in a form, parsed by the open question's schema. Runs reject answers to closed questions. */
function answerIn(sent: Sent, digest: string | undefined, open: readonly OpenItem[]): PageMessage['body'] {
  const question = singleField(sent, 'question') ?? '';
  const item = open.find(({ id }) => id === question);
  return given({ question, value: valueIn(sent, item), digest });
}

function valueIn(sent: Sent, item: Partial<OpenItem> = {}) {
  const read = readField(fieldOf(item), sent);
  if (!read.ok) throw new OperationError('INPUT_INVALID', read.problem, given({ field: read.name }));
  return read.value;
}

function nodesIn(sent: Sent): readonly string[] {
  const nodes = sent('nodes').filter((node) => node !== '');
  if (nodes.length === 0) throw invalid('nodes: choose at least one node to approve');
  return nodes;
}

function singleField(sent: Sent, name: string): string | undefined {
  const [text = ''] = sent(name);
  return text.trim() === '' ? undefined : text;
}

function invalid(message: string): OperationError {
  return new OperationError('INPUT_INVALID', message);
}

/** Sends a message and returns the run's reply. @throws the errors of the operation */
export async function sendMessage(
  plans: Plans,
  { workflowId, body, allSeen }: PageMessage,
  speaker: PageSender,
): Promise<string> {
  const { digest, ...rest } = body;
  // The question's id identifies the plan.
  const input = {
    ...rest,
    ...('question' in body ? {} : given({ digest })),
    ...given({ ...speaker, allSeen }),
    workflowId,
  };
  const name = 'question' in body ? 'answer' : 'action' in body ? 'control' : 'decide';
  const { reply } = await performSent(name, plans, input);
  return reply;
}

/**
 * Reads a token that was signed elsewhere, to show it and find its run. Only the run verifies it.
 * @throws OperationError INPUT_INVALID if it has another form
 */
export function readToken(token: string) {
  const claims = exactJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { aud, sub, role, message } = isRecord(claims) ? claims : {};
  if (typeof aud !== 'string' || typeof sub !== 'string' || !isRecord(message)) {
    throw invalid('token: expected a compact JWS with aud, sub and message, as docs/identity.md has it');
  }
  const speaker = { by: sub, ...(typeof role === 'string' && { role }) };
  return { token, message: { workflowId: aud, body: message }, speaker };
}
