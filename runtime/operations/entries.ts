/** The operations of the spec by method and path. */
import { operations, type Operations } from '../../generated/server/operations.js';

export interface OperationEntry {
  readonly id: keyof Operations;
  /** Lower case. */
  readonly method: string;
  /** `/auth/login/{provider}` */
  readonly path: string;
  readonly access: 'open' | 'public' | 'user' | 'admin';
  readonly parameters?: readonly ParameterEntry[];
  readonly body?: JsonSchema;
  /** Status to content type. */
  readonly responses: Readonly<Record<number, string | null>>;
}

export interface ParameterEntry {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface FoundOperation {
  readonly entry: OperationEntry;
  /** Decoded parts of the path. */
  readonly parameters: Readonly<Record<string, string>>;
}

const entries: readonly OperationEntry[] = operations;

interface Pattern {
  readonly segments: readonly string[];
  readonly entry: OperationEntry;
}

const orderOf = ({ path }: OperationEntry): string => path.replaceAll(/\{\w+\}/g, '\uffff');

/** Where two fit, the one that says more comes first: `/users/me` before `/users/{id}`. */
const patterns: readonly Pattern[] = entries
  .map((entry) => ({ entry, segments: entry.path.slice(1).split('/') }))
  .sort((a, b) => (orderOf(a.entry) < orderOf(b.entry) ? -1 : 1));

/** `null`: no operation has this method and path. */
export const findOperation = (method: string, path: string): FoundOperation | null => {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const given = splitPath(path);
  for (const { entry, segments } of patterns) {
    if (entry.method !== wanted) continue;
    const parameters = matchSegments(segments, given);
    if (parameters !== null) return { entry, parameters };
  }
  return null;
};

/** Methods of the operations at a path, upper case. */
export const methodsAt = (path: string): readonly string[] => {
  const given = splitPath(path);
  return patterns
    .filter(({ segments }) => matchSegments(segments, given) !== null)
    .map(({ entry }) => entry.method.toUpperCase());
};

const splitPath = (path: string): readonly string[] => path.replace(/^\//, '').replace(/\/$/, '').split('/');

const matchSegments = (
  segments: readonly string[],
  given: readonly string[],
): Record<string, string> | null => {
  if (segments.length !== given.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = given[index] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== part) return null;
      continue;
    }
    const value = decode(part);
    if (value === null || value === '') return null;
    parameters[segment.slice(1, -1)] = value;
  }
  return parameters;
};

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};
