/** Formats of files that are imported. */
export const importFormats = ['csv', 'json', 'ndjson'] as const;

export type ImportFormat = (typeof importFormats)[number];
