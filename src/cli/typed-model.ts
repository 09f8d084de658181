import { modelKey, modelSettingsProblem } from '../config/index.ts';
import { isRecord } from '../protocol/index.ts';
import { messageOf, quote } from '../plan/text/index.ts';
import { OperationError } from '../operations/index.ts';

interface TypedModel {
  readonly model?: string | undefined;
  readonly modelName?: string | undefined;
}

/** Milliseconds. A local server answers at once. */
const LIST_MS = 10_000;
const MOST_NAMED = 20;

/**
 * The typed model. Without `--model-name` the server must offer exactly one.
 * @returns undefined if none was typed
 * @throws OperationError USAGE that says what to type
 */
export async function typedModel({
  model,
  modelName,
}: TypedModel): Promise<{ readonly baseURL: string; readonly name: string } | undefined> {
  if (model === undefined) {
    if (modelName === undefined) return undefined;
    throw new OperationError('USAGE', '--model-name: add --model URL, the server that has the model');
  }
  const baseURL = model.replace(/\/+$/, '');
  const problem = modelSettingsProblem({ baseURL, name: modelName ?? 'name' });
  if (problem !== undefined) throw new OperationError('USAGE', `--model: ${problem}`);
  return { baseURL, name: modelName ?? (await onlyModelOf(baseURL)) };
}

async function onlyModelOf(baseURL: string): Promise<string> {
  const names = await modelsOf(baseURL).catch((error: unknown) => {
    throw new OperationError(
      'USAGE',
      `--model: ${baseURL} does not say which models it has (${messageOf(error)}); start the server, or name one with --model-name`,
    );
  });
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  const has = names.length === 0 ? 'no models' : `${names.length} models`;
  const named = names.slice(0, MOST_NAMED).map(quote).join(', ');
  throw new OperationError(
    'USAGE',
    `--model: ${baseURL} has ${has}; name one with --model-name${named && `: ${named}`}`,
  );
}

async function modelsOf(baseURL: string): Promise<readonly string[]> {
  const key = modelKey({ baseURL });
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const reply = await fetch(`${baseURL}/models`, { headers, signal: AbortSignal.timeout(LIST_MS) });
  if (!reply.ok) throw new Error(`it answered ${reply.status}`);
  const body: unknown = await reply.json();
  const list = isRecord(body) && Array.isArray(body['data']) ? body['data'] : [];
  return list.flatMap((one: unknown) => (isRecord(one) && typeof one['id'] === 'string' ? [one['id']] : []));
}
