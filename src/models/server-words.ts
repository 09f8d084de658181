/** The errors of a model server, in the forms in which servers write them: as an answer, or in the middle of one. */

export interface ServerWords {
  /** The status of the answer; a server that has begun to answer tells none. */
  readonly status?: number | undefined;
  /** `code` and `type` of its error. */
  readonly codes: readonly string[];
  /** The member of the request that it is about: `temperature`, `tools[0].function.strict`, `body.seed`. */
  readonly param?: string | undefined;
  readonly message: string;
  readonly headers?: Headers | undefined;
}

/** An error answer, as text: JSON in any of the forms, or a page. */
export function wordsOf(text: string, status: number, headers: Headers): ServerWords {
  return { ...read(jsonOf(text) ?? text), status, headers };
}

/** The error that a piece of an answer tells; undefined where it tells none. */
export function faultIn(piece: unknown): ServerWords | undefined {
  const { error } = fieldsOf(piece);
  if (error === undefined || error === null) return undefined;
  const words = read(piece);
  // Some servers write there the number of an answer where others have a word.
  const status = Number(fieldsOf(error)['code']);
  return { ...words, status: status >= 400 && status < 600 ? status : undefined };
}

/**
 * `{ error: { message, code, type, param } }` of OpenAI, `{ error: "words" }` of Ollama, a list of the first (Gemini),
 * `{ detail: "words" }` and `{ detail: [{ loc, msg }] }` of FastAPI, `{ object: "error", message }` of vLLM and Mistral.
 */
function read(given: unknown): Pick<ServerWords, 'codes' | 'param' | 'message'> {
  const answer = fieldsOf(Array.isArray(given) ? given[0] : given);
  const told = answer['error'] ?? answer['detail'] ?? given;
  if (typeof told === 'string') return { codes: [], message: told };
  if (Array.isArray(told)) return ofDetails(told.slice(0, MAX_DETAILS).map(fieldsOf));
  const error = fieldsOf(told);
  const { param, message, metadata, detail } = error;
  // A router passes on what it was told by the server behind it.
  const { raw } = fieldsOf(metadata);
  return {
    codes: [error['code'], error['type'], error['status']].filter((one) => typeof one === 'string'),
    ...(typeof param === 'string' && param !== '' && { param }),
    message: [message ?? detail ?? (Object.keys(error).length > 0 ? error : ''), raw]
      .filter((one) => one !== undefined && one !== '')
      .map(textOf)
      .join(': '),
  };
}

/** The most parts that are read of an error in parts. */
const MAX_DETAILS = 20;

function ofDetails(details: readonly Readonly<Record<string, unknown>>[]) {
  const parts = details.map(({ loc, msg, message }) => ({
    place: Array.isArray(loc) ? loc.join('.') : '',
    words: textOf(msg ?? message ?? ''),
  }));
  return {
    codes: [],
    param: parts[0]?.place ?? '',
    message: parts.map(({ place, words }) => [place, words].filter((part) => part !== '').join(': ')).join('; '),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
