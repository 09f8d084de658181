/** Bounds that the arguments of a calculation have before its thread begins, and in it. Imports nothing: a plan is checked without mathjs. */

/** Characters of an expression and of a variable that is one; significant digits of an answer. */
export const LIMITS = { length: 2000, precision: 64 };
