/** How long a part goes on, and each of its nodes in it. */

/** In milliseconds. */
export interface PartTimes {
  /** A node is tried for so long, or for its own shorter timeout. */
  readonly tryMs: number;
  /** From then on a part begins nothing. */
  readonly beginMs: number;
  /** Then it ends; what has not ended is given back, and goes in the next. */
  readonly endMs: number;
}

export const PART_TIMES: PartTimes = {
  /** A node of a part: one try. */
  tryMs: 5000,
  /** The time in which a part begins nodes. */
  beginMs: 50_000,
  /** The time of a part. */
  endMs: 60_000,
};
