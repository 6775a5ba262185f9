/** Which operations wait for the database like items do, in a bounded queue. */
import type { Operation } from './declarations.js';

/** Operations that would take a place of others while they wait for something else, or have to answer under every load. */
const exempt: ReadonlySet<Operation['id']> = new Set<Operation['id']>([
  // they tell that the server lives
  'serverPing',
  'serverHealth',
  // passwords are hashed in a bounded queue of their own
  'authLogin',
  'authPasswordReset',
  'tfaGenerate',
  // providers of single sign-on, Temporal, and the package manager answer when they like
  'authLoginProvider',
  'authLoginRedirect',
  'authLoginCallback',
  'requestsCancel',
  'serverSdk',
  // a change of the schema waits for locks and for other processes; a comparison converts a document of many megabytes
  'schemaApply',
  'schemaDiff',
  'schemaReload',
  'schemaSnapshot',
  'collectionsCreate',
  'collectionsUpdate',
  'collectionsDelete',
  'fieldsCreate',
  'fieldsUpdate',
  'fieldsDelete',
  'relationsCreate',
  'relationsUpdate',
  'relationsDelete',
  // it reads a file first, and takes its place then
  'utilsImport',
]);

/** Returns whether an operation takes a place among the requests that wait for the database. */
export const isAdmitted = ({ id }: Operation): boolean => !exempt.has(id);
