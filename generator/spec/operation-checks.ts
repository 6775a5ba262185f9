/** Checks operations, each alone and all together. */
import type { Operation } from '../model/types.js';
import { faultAt } from './faults.js';
import type { Position, SpecFault } from './types.js';

/** An operation with the positions of its parts. */
export interface LocatedOperation {
  readonly operation: Operation;
  readonly positionOf: (...path: readonly string[]) => Position;
}

/** Reports what contradicts itself within one operation. */
export const checkOperation = (operation: LocatedOperation, faults: SpecFault[]): void => {
  checkExceptions(operation, faults);
  checkPathParameters(operation, faults);
  checkInputNames(operation, faults);
};

const requiresUser = (access: Operation['access']): boolean => access !== 'open' && access !== 'public';

/** Reports exceptions from a check that the operation's access level never makes. */
const checkExceptions = ({ operation, positionOf }: LocatedOperation, faults: SpecFault[]): void => {
  const { access, withoutSession, beforeSecondFactor, startsLogin, acceptsKey } = operation;
  if (withoutSession && access !== 'public') {
    const remedy = 'write "access: public" or remove it';
    faults.push(faultAt(positionOf('withoutSession'), '"withoutSession" requires public access', remedy));
  }
  if (beforeSecondFactor && !requiresUser(access)) {
    const remedy = 'write "access: user" or "access: admin", or remove it';
    faults.push(faultAt(positionOf('beforeSecondFactor'), '"beforeSecondFactor" requires a user', remedy));
  }
  if (startsLogin && !requiresUser(access)) {
    const remedy = 'write "access: user" or "access: admin", or remove it';
    faults.push(faultAt(positionOf('startsLogin'), '"startsLogin" requires a user', remedy));
  }
  if (acceptsKey && access !== 'user') {
    const remedy = 'write "access: user" or remove it';
    faults.push(faultAt(positionOf('acceptsKey'), '"acceptsKey" requires access of users', remedy));
  }
};

const checkPathParameters = ({ operation, positionOf }: LocatedOperation, faults: SpecFault[]): void => {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const described = operation.parameters.filter((parameter) => parameter.in === 'path');
  for (const name of inPath.filter((name) => !described.some((parameter) => parameter.name === name))) {
    const remedy = `add { name: ${name}, in: path, … } to "parameters"`;
    faults.push(faultAt(positionOf('path'), `the path parameter "${name}" is not described`, remedy));
  }
  for (const { name } of described.filter((parameter) => !inPath.includes(parameter.name))) {
    const remedy = `write {${name}} in the path or remove the parameter`;
    faults.push(faultAt(positionOf('parameters'), `the path has no parameter "${name}"`, remedy));
  }
};

/** Reports duplicate names, since parameters and body form one input. */
const checkInputNames = ({ operation, positionOf }: LocatedOperation, faults: SpecFault[]): void => {
  const names = operation.parameters.map((parameter) => parameter.name);
  names.forEach((name, index) => {
    const position = positionOf('parameters', String(index));
    if (name === 'body') faults.push(faultAt(position, '"body" is the request body', 'choose another name'));
    if (name !== '' && names.indexOf(name) < index) {
      faults.push(faultAt(position, `the parameter "${name}" is described twice`, 'keep one'));
    }
  });
};

/** Checks across files that ids and paths are unique and errors exist in the table. */
export const checkOperations = (
  operations: readonly LocatedOperation[],
  codes: ReadonlySet<string>,
  suggestCode: (code: string) => string,
): SpecFault[] => [
  ...findRepeated(operations, ({ operation }) => operation.id, []),
  ...findRepeated(operations, ({ operation }) => `${operation.method} ${pathPattern(operation.path)}`, [
    'path',
  ]),
  ...findRepeated(
    operations.filter(({ operation }) => operation.graphql !== null),
    ({ operation: { graphql } }) => `${graphql?.query ?? graphql?.mutation}`,
    ['graphql'],
  ),
  ...operations.flatMap(({ operation, positionOf }) =>
    operation.errors
      .map((code, index) => ({ code, position: positionOf('errors', String(index)) }))
      .filter(({ code }) => !codes.has(code))
      .map(({ code, position }) =>
        faultAt(position, `"${code}" is not in the error table`, suggestCode(code)),
      ),
  ),
];

/** Returns a path without parameter names: paths that differ only in these are equal. */
const pathPattern = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const findRepeated = (
  operations: readonly LocatedOperation[],
  keyOf: (placed: LocatedOperation) => string,
  path: readonly string[],
): SpecFault[] => {
  const seen = new Map<string, LocatedOperation>();
  return operations
    .filter(({ operation }) => operation.path !== '')
    .flatMap((placed) => {
      const first = seen.get(keyOf(placed));
      if (first === undefined) {
        seen.set(keyOf(placed), placed);
        return [];
      }
      const { file, line } = first.positionOf(...path);
      const remedy = `it is at ${file}:${line} already; use another`;
      return [faultAt(placed.positionOf(...path), `"${keyOf(placed)}" is used twice`, remedy)];
    });
};
