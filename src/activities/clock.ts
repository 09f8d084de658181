let offset = -Infinity;

/**
 * Milliseconds from a fixed point. Never decreases, and includes the time in which the machine was suspended. On Linux
 * `performance.now()` does not, so a permission from before a suspend would count as fresh.
 */
export function elapsedMs(): number {
  const monotonic = performance.now();
  offset = Math.max(offset, Date.now() - monotonic);
  return monotonic + offset;
}
