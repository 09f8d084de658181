/** The set operators. The suffix of the long names (MINUS_LEFT, MINUS_RIGHT) names the side that is kept. */

export const OPERATORS = ['UNION', 'INTERSECT', 'MINUS', 'RMINUS', 'COLOCATE'] as const;
export type Operator = (typeof OPERATORS)[number];
