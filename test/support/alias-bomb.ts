/** A YAML text of a few hundred characters whose aliases stand for ten to the power of `levels` texts. */
export function aliasBomb(levels = 8, steps = 1): string {
  const values = Array.from({ length: levels }, (_, at) => `x-a${at + 1}: &a${at + 1} [${ten(`*a${at}`)}]`);
  const step = `  - { task_objective: t, capability: search, arguments: { a: 1 }, args: { b: *a${levels} } }`;
  const list = Array.from({ length: steps }, () => step);
  return ['goal: g', 'x-a0: &a0 "lollollollollollollollol"', ...values, 'steps:', ...list].join('\n');
}

function ten(word: string): string {
  return Array.from({ length: 10 }, () => word).join(', ');
}
