export interface Limits {
  /** Maximum levels of nodes; the root is level 1. At most 1,000, which needs half of the default stack. */
  readonly depth: number;
  /** Maximum number of nodes as written, before equal nodes are merged. */
  readonly nodes: number;
  /** Maximum bytes of the document. For parsed JSON: maximum characters of its texts and values. */
  readonly bytes: number;
  /** Maximum levels of lists and objects inside one JSON value of a node, such as its context. */
  readonly valueDepth: number;
}

/**
 * The default limits of plan documents: files, standard input and values from programs.
 * @bound .depth levels of nodes @beyond `too-deep`: write steps
 * @bound .nodes nodes as written, of a file @beyond `too-many-nodes`; `limits` raises it
 * @bound .bytes the size of a document, of a file @beyond `too-large`
 * @bound .valueDepth levels of lists and objects in one value @beyond an issue at its path
 */
export const FILE_LIMITS: Limits = { depth: 1_000, nodes: 20_000, bytes: 32 * 1024 * 1024, valueDepth: 64 };

/**
 * The limits of plan documents that a model writes. The worker reads replies in its main thread, so reading a reply may
 * take only a fraction of a second.
 * @bound .depth levels of nodes, written by a model @beyond as for a file
 * @bound .nodes nodes, written by a model @beyond as for a file
 * @bound .bytes the size of a document that a model writes @beyond as for a file
 */
export const MODEL_LIMITS: Limits = { depth: 64, nodes: 500, bytes: 256 * 1024, valueDepth: 64 };
