/** The time limits of a part and of its nodes. */

/** In milliseconds. */
export interface PartTimes {
  /** A node is tried for so long, or for its own shorter timeout. */
  readonly tryMs: number;
  /** From then on a part begins nothing. */
  readonly beginMs: number;
  /** The part ends; its open nodes are returned and go into the next one. */
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
