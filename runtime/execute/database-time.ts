/** A moment as columns hold it: UTC, whole seconds. */
export const databaseTime = (moment: Date): string => moment.toISOString().slice(0, 19).replace('T', ' ');
