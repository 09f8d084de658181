/**
 * Turns any thrown value into an error of limited size with well-formed texts, reading each property once. Plain
 * JavaScript, since Temporal's SDK loads the failure converter, which imports this, with `require`.
 */

/**
 * Maximum UTF-16 units of an error's texts, and maximum number of nested causes. The Temporal server cuts what it
 * stores of an attempt at 4 KiB, with the type of the error.
 */
export const FAILURE_BOUNDS = { name: 100, message: 2000, stack: 4000, causes: 5 };

const UNREADABLE = 'what was thrown cannot be read';

/**
 * Returns the message of a thrown value, cut to the limit. It never throws, even if a getter, a proxy or `toString` of
 * the value throws.
 * @param {unknown} thrown
 * @returns {string}
 * @example messageOf(new Error('the pump is off')); // 'the pump is off'
 */
export function messageOf(thrown) {
  return attempt(() => (isErrorLike(thrown) ? textOf(thrown.message) || nameOf(thrown) : String(thrown)), 'message');
}

/**
 * Makes a plain error with the name, message, stack and causes of a thrown value, cut to `FAILURE_BOUNDS`. The limit on
 * causes also ends a cycle of causes.
 * @param {unknown} thrown
 * @param {number} [causes] the largest number of nested causes to copy
 * @returns {Error}
 * @example tameError('no water').message; // 'no water'
 */
export function tameError(thrown, causes = FAILURE_BOUNDS.causes) {
  const error = new Error(messageOf(thrown));
  error.name = attempt(() => (isErrorLike(thrown) ? nameOf(thrown) : 'Error'), 'name');
  error.stack = attempt(() => (isErrorLike(thrown) ? textOf(thrown.stack) : ''), 'stack');
  const cause = causeOf(thrown);
  if (cause !== undefined && causes > 0) error.cause = tameError(cause, causes - 1);
  return error;
}

/**
 * Returns the cause of an error, or undefined if the error has none or the cause cannot be read.
 * @param {unknown} thrown
 * @returns {unknown}
 * @example causeOf(new Error('a', { cause: 'b' })); // 'b'
 */
export function causeOf(thrown) {
  try {
    return isErrorLike(thrown) ? (thrown.cause ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Cuts a text of an error to its limit and makes it well formed.
 * @param {string} text
 * @param {'name' | 'message' | 'stack'} what
 * @returns {string}
 * @example cutFailureText('short', 'message'); // 'short'
 */
export function cutFailureText(text, what) {
  const most = FAILURE_BOUNDS[what];
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed();
}

/**
 * @param {() => string} read
 * @param {'name' | 'message' | 'stack'} what
 */
function attempt(read, what) {
  try {
    return cutFailureText(read(), what);
  } catch {
    return what === 'stack' ? '' : UNREADABLE;
  }
}

/**
 * Whether a value is an error, also of another realm, such as the sandbox of workflows.
 * @param {unknown} thrown
 * @returns {thrown is { name?: unknown; message?: unknown; stack?: unknown; cause?: unknown }}
 */
function isErrorLike(thrown) {
  return typeof thrown === 'object' && thrown !== null && (thrown instanceof Error || 'message' in thrown);
}

/** @param {{ name?: unknown }} error */
function nameOf(error) {
  return textOf(error.name) || 'Error';
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' ? value : '';
}
