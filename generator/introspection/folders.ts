/** The readers of all databases, by dialect; the only file that names the folders. */
export * from './mysql/index.js';
export * from './postgres/index.js';
export * from './sqlite/index.js';
