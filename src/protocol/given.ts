/** Fields of which some are left out, as types that tell undefined from absent want them. */

/** The same fields: one that may be undefined may be absent instead. */
export type Given<Fields extends object> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/**
 * The fields that have a value.
 * @example given({ role: undefined, by: 'operator' }); // { by: 'operator' }
 */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
