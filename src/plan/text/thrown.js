/**
 * A thrown value of any kind, as an error that can be told: read once, cut, well formed. The one place that bounds what
 * a failure says. Plain JavaScript, since the failure converter needs it, which the SDK loads with `require`.
 */

/**
 * Bounds of a failure. Texts in UTF-16 units; the server cuts what it keeps of an attempt at 4 KiB, its type
 * included.
 */
export const FAILURE_BOUNDS = { name: 100, message: 2000, stack: 4000, causes: 5 };

const UNREADABLE = 'what was thrown cannot be read';

/**
 * The message of a thrown value, cut. Never throws: a getter may, and a proxy, and `toString`.
 *
 * @param {unknown} thrown
 * @returns {string}
 * @example messageOf(new Error('the pump is off')); // 'the pump is off'
 */
export function messageOf(thrown) {
  return attempt(() => (isErrorLike(thrown) ? textOf(thrown.message) || nameOf(thrown) : String(thrown)), 'message');
}

/**
 * A plain error with the name, the message, the stack and the causes of what was thrown, all of them within
 * `FAILURE_BOUNDS`. A circle of causes ends where the bound does.
 *
 * @param {unknown} thrown
 * @param {number} [causes] how many causes below it are kept
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
 * The cause of an error; undefined where it has none, or where it cannot be read.
 *
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
 * A text of a failure, cut to a bound of its own and well formed.
 *
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
 * Takes an error of another realm too, as the sandbox of workflows is one.
 *
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
