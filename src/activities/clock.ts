let offset = -Infinity;

/**
 * Milliseconds from a fixed point. The value never falls, and counts the time in which the machine was suspended:
 * `performance.now()` does not on Linux, so a permission from before a suspend would count as fresh.
 */
export function elapsedMs(): number {
  const monotonic = performance.now();
  offset = Math.max(offset, Date.now() - monotonic);
  return monotonic + offset;
}
