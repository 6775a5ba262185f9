/** Reads and writes the pauses of operators (`svc_pauses`): models, classes, accounts and endpoints. */
import { deleteRows, findRow, findRows, insertRow, type Statements } from '../../execute/system-rows.js';

export const pauseKinds = ['model', 'class', 'account', 'endpoint'] as const;
export type PauseKind = (typeof pauseKinds)[number];

export interface PauseTarget<Kind extends PauseKind = PauseKind> {
  readonly kind: Kind;
  /** Id of a model or account, name of a class, or origin of a URL. */
  readonly name: string;
}

export interface Pause extends PauseTarget {
  readonly reason: string | null;
  /** Id of the operator. */
  readonly user: string | null;
  /** Unix time in milliseconds. */
  readonly created: number;
}

/** Returns the name of the endpoint that a URL belongs to, or null for what is no URL of HTTP. */
export const endpointOf = (url: string): string | null => {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  return protocol === 'https:' || protocol === 'http:' ? origin : null;
};

/** Pauses something; what is paused already stays as it was. */
export const insertPause = async (statements: Statements, pause: Pause): Promise<void> => {
  const { created, ...row } = pause;
  const find = () => findRow(statements, 'svc_pauses', { where: { kind: pause.kind, name: pause.name } });
  if ((await find()) !== undefined) return;
  try {
    await insertRow(statements, 'svc_pauses', { ...row, date_created: created });
  } catch (error) {
    if ((await find()) === undefined) throw error;
  }
};

/** Ends a pause. @returns 0 where there is none */
export const deletePause = (statements: Statements, { kind, name }: PauseTarget): Promise<number> =>
  deleteRows(statements, 'svc_pauses', { kind, name });

/** Returns all pauses, sorted by kind and name. */
export const listPauses = async (statements: Statements): Promise<readonly Pause[]> => {
  const rows = await findRows(statements, 'svc_pauses', { order: ['kind', 'name'] });
  return rows.map(({ kind, name, reason, user, date_created: created }) => ({
    kind: kind as PauseKind,
    name,
    reason,
    user,
    created,
  }));
};

export interface Paused {
  has(kind: PauseKind, name: string): boolean;
}

/** Milliseconds after which the rows are read again, so that a change acts in all processes. */
export const maxPauseAge = 1_000;

export interface PauseWatch {
  /** Returns what is paused, from rows that are at most `maxPauseAge` old. */
  read(): Promise<Paused>;
  /** Has the next `read` read the rows again. */
  expire(): void;
}

/** Watches what is paused. */
export const watchPauses = (statements: Statements): PauseWatch => {
  let readAt = Number.NEGATIVE_INFINITY;
  let paused: Promise<Paused> | null = null;
  const find = async (): Promise<Paused> => {
    const rows = await findRows(statements, 'svc_pauses', { columns: ['kind', 'name'] });
    const names = new Set(rows.map(({ kind, name }) => `${kind} ${name}`));
    return { has: (kind, name) => names.has(`${kind} ${name}`) };
  };
  return {
    read() {
      if (paused !== null && performance.now() - readAt < maxPauseAge) return paused;
      readAt = performance.now();
      const reading = find();
      reading.catch(() => (paused = null));
      return (paused = reading);
    },
    expire: () => void (paused = null),
  };
};
