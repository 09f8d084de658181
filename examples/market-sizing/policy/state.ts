/** The knowledge of a market's planner from round to round: plain JSON, replaced and never changed. */

/** A quantity or a word that the size of the market stands on. */
export interface Field {
  readonly title: string;
  readonly kind: 'number' | 'text';
  /** The first place to look for it. */
  readonly prefer: 'web' | 'user';
  /** Follows from components. Without a decomposition it is composite: nobody knows yet from which. */
  readonly derived?: true;
  /** As it stands behind the number, such as `%`. */
  readonly unit?: string;
  /** The unit is the currency that the person has named. */
  readonly money?: true;
  /** Figures count only where the region is named beside them. */
  readonly regional?: true;
  /** The memo tells it although the size does not stand on it. */
  readonly wanted?: true;
  /** The words before the figure on a page. */
  readonly label?: string;
  /** Words to search by, the nth for the nth search. After the last of them the model words the search. */
  readonly queries?: readonly string[];
  readonly question?: string;
  readonly suggestions?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  /** A regular expression that all of a text must fit. */
  readonly pattern?: string;
  /** Known before there is a run. */
  readonly decomposition?: Decomposition;
  /** The field that it is a component of. */
  readonly partOf?: string;
  /** A text, or a decimal number as text. */
  readonly value?: string;
  readonly source?: Source;
  /** The values that a derived field with all components ready is worked out from. */
  readonly composed?: string;
}

export interface Decomposition {
  /** Arithmetic over the names of the components. */
  readonly expression: string;
  /** By name. */
  readonly components: Readonly<Record<string, Field>>;
}

/** There is no decomposition, and why. It is not looked for again. */
export interface NoDecomposition {
  readonly none: string;
}

/** `id` of a page: the file, and the line of the quote. */
export type Source =
  | { readonly is: 'page'; readonly id: string; readonly title: string; readonly quote: string }
  | { readonly is: 'person' }
  | { readonly is: 'calculation'; readonly expression: string };

/** A figure that a page gives for a field, read and found valid. */
export interface Evidence {
  readonly field: string;
  readonly value: string;
  readonly source: Extract<Source, { is: 'page' }>;
}

/** Something about a field that is settled by thinking: two pages disagree, a calculation has failed. */
export interface OpenTask {
  readonly field: string;
  readonly why: string;
}

export interface Schema {
  /** The field whose value is the size of the market. */
  readonly target: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** The parts that the target is worked out from; absent until it is decomposed. */
  readonly recipe?: Recipe;
}

export interface Recipe {
  /** Arithmetic over its variables, which are numbers and no expressions. */
  readonly expression: string;
  readonly variables: readonly string[];
  /** Those that nothing is known of yet: the calculation is blocked by them. */
  readonly missing: readonly string[];
}

export interface Attempts {
  readonly searches: Readonly<Record<string, number>>;
  readonly asks: Readonly<Record<string, number>>;
}

export interface State {
  readonly status: 'running' | 'aborted';
  /** Rounds, this one included. The tick alone writes it. */
  readonly iterations: number;
  readonly schema: Schema;
  /** By field: decompositions that were made in this run. */
  readonly dynamicDecompositions: Readonly<Record<string, Decomposition | NoDecomposition>>;
  /** By field, and apart from the iterations. */
  readonly attempts: Attempts;
  readonly evidence: readonly Evidence[];
  /** `failures` counts calculations that gave no number; `value` is there once one did. */
  readonly calculation: { readonly failures: number; readonly value?: string };
  readonly tasks: readonly OpenTask[];
  /** The last lessons and failures. */
  readonly notes: readonly string[];
  /** The model failed in this round; the tick forgets it. */
  readonly llmFailed: boolean;
}

/** @example initialState({ target: 'size', fields }).status; // 'running' */
export function initialState({ target, fields }: Pick<Schema, 'target' | 'fields'>): State {
  return {
    status: 'running',
    iterations: 0,
    schema: { target, fields },
    dynamicDecompositions: {},
    attempts: { searches: {}, asks: {} },
    evidence: [],
    calculation: { failures: 0 },
    tasks: [],
    notes: [],
    llmFailed: false,
  };
}
