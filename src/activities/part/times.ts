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
  /**
   * @bound a node of a part: one try
   * @beyond it goes alone, and so do the other nodes of its capability
   */
  tryMs: 5000,
  /**
   * @bound the time in which a part begins nodes
   * @beyond they go in the next part
   */
  beginMs: 50_000,
  /**
   * @bound the time of a part
   * @beyond it ends; what has not ended goes in the next
   */
  endMs: 60_000,
};
