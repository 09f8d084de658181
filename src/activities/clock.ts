let offset = -Infinity;

/**
 * Milliseconds from a fixed point, with the time in which the machine was suspended. On Linux `performance.now()`
 * excludes that time, so an old permission would count as fresh.
 */
export function elapsedMs(): number {
  const monotonic = performance.now();
  offset = Math.max(offset, Date.now() - monotonic);
  return monotonic + offset;
}
