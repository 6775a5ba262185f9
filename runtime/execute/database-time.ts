/** Formats a time as date columns contain it: UTC, whole seconds. */
export const databaseTime = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');
