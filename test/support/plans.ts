/** Plan documents in few words. */

export const idsOf = (...list: string[]) => ({
  type: 'task',
  task: `the ids ${list.join(' ')}`,
  capability: 'ids',
  arguments: { ids: list },
});

export const task = (capability: string, args: object, over: object = {}) => ({
  type: 'task',
  task: `${capability} ${JSON.stringify(args)}`,
  capability,
  arguments: args,
  ...over,
});

export const combine = (operator: string, left: object, right: object) => ({ type: 'combine', operator, left, right });

export const planOf = (plan: object, options?: object) => ({
  goal: 'Test the run of a plan',
  plan,
  ...(options !== undefined && { options }),
});
