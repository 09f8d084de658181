/** What the guest's workflow does outside. */

export const guestActivities = {
  greet: (name: string) => Promise.resolve(`hello ${name}`),
};
