/** Formats in which items are downloaded. */
export const exportFormats = ['json', 'csv', 'csv_utf8', 'ndjson', 'xml', 'yaml'] as const;

export type ExportFormat = (typeof exportFormats)[number];
