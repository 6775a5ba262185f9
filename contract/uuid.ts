/** UUIDs of any version, as text. */

const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns true for a UUID. Databases with a type for UUIDs reject a comparison with any other text. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);
