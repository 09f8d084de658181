/** How large a plan document may be. */

export interface Limits {
  /** Node levels; the root is level 1. At most 1,000, which can be read with half the default stack. */
  readonly depth: number;
  /** Nodes as written, before equal ones are merged. */
  readonly nodes: number;
  /** Bytes of the document, or, where it comes parsed, characters of its texts and values. */
  readonly bytes: number;
  /** Levels of lists and objects inside one JSON value of a node, such as its context. */
  readonly valueDepth: number;
}

/** The limits of plan documents that come from a file, from standard input or from a program. The default. */
export const FILE_LIMITS: Limits = { depth: 1_000, nodes: 20_000, bytes: 32 * 1024 * 1024, valueDepth: 64 };

/** The limits of plan documents that a model writes. */
export const MODEL_LIMITS: Limits = { depth: 64, nodes: 500, bytes: 1024 * 1024, valueDepth: 64 };
