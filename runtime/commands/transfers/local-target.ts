/** Transfers in the database of `DATABASE_URL`, run by this process with the rights of a user. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createIdentity } from '../../identity.js';
import { createItemServices } from '../../item-services.js';
import type { Collection } from '../../../contract/collection.js';
import { plural } from '../../../contract/plural.js';
import type { Access } from '../../access/access.js';
import { createBackground } from '../../concurrency/background.js';
import { loadConfig } from '../../config/config.js';
import { loadEnvironment } from '../../config/environment.js';
import { Refusal } from '../../config/refusal.js';
import { findAdministrators } from '../../execute/administrators.js';
import type { ItemServices } from '../../items/context.js';
import type { Observe } from '../../observe.js';
import { forbiddenCollection } from '../../plan/scope.js';
import { openBuild } from '../../processes/open-build.js';
import { createDirectoryStore } from '../../queue/requests/files.js';
import type { RunFiles } from '../../queue/requests/run-files.js';
import { findUser } from '../../schema/users.js';
import type { ImportJob } from '../../transfers/import-chunk.js';
import { exportFile } from '../../transfers/export-run.js';
import { sourceName } from '../../transfers/files.js';
import { importFile } from '../../transfers/import-run.js';
import type { TransferContext } from '../../transfers/run-context.js';
import { readImportOptions, toExportOptions } from '../../transfers/options.js';
import type { ApiRequest } from '../../request/api-request.js';
import { refusing } from '../api-refusals.js';
import { withFolder, writeWhole } from './files.js';
import type { ExportTask, ImportTask, TransferControl, TransferEnd, TransferTarget } from './target.js';

/** Nothing is printed but warnings, and what explains a delay. */
const observe: Observe = (observation) => {
  if (observation.kind === 'databaseAwaited') process.stderr.write(`waiting for ${observation.reason}\n`);
  if (observation.kind === 'databaseDefault')
    process.stderr.write(`DATABASE_URL is not set; using ${observation.url}\n`);
};

interface Local {
  readonly items: ItemServices;
  readonly access: Access;
  /** Key of the user whose rights apply. */
  readonly account: string;
}

/** Policies that depend on the address of the caller see this machine. */
const address = '127.0.0.1';

/** Runs `body` with the database open. @throws Refusal for an unknown user, or missing system tables */
export const withLocalTarget = async <Result>(
  email: string | undefined,
  body: (target: TransferTarget) => Promise<Result>,
): Promise<Result> => {
  const config = { ...loadConfig(loadEnvironment(process.cwd())), rateLimit: null };
  const opened = await openBuild({ config, observe });
  const background = createBackground(observe);
  try {
    const { database, declarations } = opened;
    const identity = createIdentity({ config, database, observe }, background);
    const items = createItemServices({ config, database, declarations, observe }, identity);
    const local = { items, access: identity.access, account: await findAccount(email, items) };
    return await body({
      import: (task, control) => refusing(() => importInto(task, control, local)),
      export: (task, control) => refusing(() => exportFrom(task, control, local)),
    });
  } finally {
    await background.close();
    await opened.close();
  }
};

const findAccount = async (email: string | undefined, { database }: ItemServices): Promise<string> => {
  const [first] = email === undefined ? await findAdministrators(database) : [email];
  if (first === undefined) throw new Refusal('there is no administrator; name a user with --user');
  const found = await findUser(database, first);
  // administrators without an address are named by their keys
  if (found === null && email !== undefined) throw new Refusal(`there is no user ${email}`);
  return found?.id ?? first;
};

const findCollection = (name: string, { items }: Local): Collection => {
  const found = items.registry.collections.get(name);
  if (found === undefined || found.system || found.singleton) throw forbiddenCollection(name);
  return found;
};

const importInto = (task: ImportTask, control: TransferControl, local: Local): Promise<TransferEnd> =>
  withFolder(async (folder) => {
    const collection = findCollection(task.collection, local);
    const request = randomUUID();
    await mkdir(join(folder, request));
    await symlink(resolve(task.path), join(folder, request, sourceName));
    const query = String(task.parameters);
    const { size } = await stat(task.path);
    const job: ImportJob = {
      ...local,
      input: {
        collection: collection.name,
        ...readImportOptions({ query, headers: {} } as ApiRequest),
        size,
        sha256: '',
        address,
      },
      request,
      collection,
      files: createDirectoryStore(folder),
      state: { position: 0, line: 0, done: 0, rejected: 0, reports: 0, progress: 0 },
      saveState: async () => true,
    };
    const context = createContext(control, { folder, file: task.rejected });
    const stored = (): string =>
      `cancelled; ${job.input.dry_run ? 0 : job.state.done} rows were stored before it`;
    return run(() => importFile(job, context), control, stored);
  });

const exportFrom = (task: ExportTask, control: TransferControl, local: Local): Promise<TransferEnd> =>
  withFolder(async (folder) => {
    const collection = findCollection(task.collection, local);
    const context = createContext(control, { folder, file: task.file });
    const input = { collection: collection.name, ...toExportOptions({ ...task }), address };
    const files = createDirectoryStore(folder);
    const job = { ...local, input, collection, context, files, saveState: async () => true };
    return run(
      () => exportFile(job),
      control,
      () => 'cancelled; no file was written',
    );
  });

const run = async (
  transfer: () => ReturnType<typeof importFile>,
  { signal }: TransferControl,
  reason: () => string,
): Promise<TransferEnd> => {
  try {
    const { status, body } = (await transfer()).outcome;
    return { status: status ?? 500, body: body as TransferEnd['body'] };
  } catch (error) {
    throw signal.aborted ? new Refusal(reason()) : error;
  }
};

interface Place {
  /** Folder in which the transfer writes. */
  readonly folder: string;
  /** The file that the user wants. */
  readonly file: string;
}

const createContext = ({ signal, onProgress }: TransferControl, place: Place): TransferContext => ({
  signal,
  progress: (state) => {
    const { percent, done, rows } = state as Readonly<Record<'percent' | 'done' | 'rows', number>>;
    onProgress(percent, plural(done ?? rows, 'row'));
  },
  files: placeFile(place),
});

/** Puts the file that a transfer has written where the user wants it. */
const placeFile = ({ folder, file }: Place): RunFiles => ({
  count: () => 0,
  async adopt({ name, contentType, spooled }) {
    const path = join(createDirectoryStore(folder).spool, spooled);
    const { size } = await stat(path);
    await writeWhole(createReadStream(path), file);
    await rm(path);
    return { url: file, content_type: contentType, file_name: name, file_size: size };
  },
});
