/**
 * Turns any thrown value into a bounded, well-formed error, read once. All failures pass here. Plain JavaScript, since
 * the SDK loads the failure converter with `require`.
 */

/** Texts in UTF-16 units. The server cuts what it keeps of an attempt at 4 KiB, its type included. */
export const FAILURE_BOUNDS = { name: 100, message: 2000, stack: 4000, causes: 5 };

const UNREADABLE = 'what was thrown cannot be read';

/**
 * The message of a thrown value, cut. Never throws, even if a getter, a proxy or `toString` does.
 * @param {unknown} thrown
 * @returns {string}
 * @example messageOf(new Error('the pump is off')); // 'the pump is off'
 */
export function messageOf(thrown) {
  return attempt(() => (isErrorLike(thrown) ? textOf(thrown.message) || nameOf(thrown) : String(thrown)), 'message');
}

/**
 * A plain error with the name, message, stack and causes of the thrown value, within `FAILURE_BOUNDS`. The bound also
 * ends a circle of causes.
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
 * The cause of an error; undefined if it has none or cannot be read.
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
 * A text of a failure, cut and well formed.
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
 * Accepts errors of another realm, such as the sandbox of workflows.
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
