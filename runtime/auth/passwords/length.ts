/** The minimum length of passwords (`PASSWORD_MIN_LENGTH`). */
import type { CollectionDeclaration } from '../../../contract/collection.js';
import { invalidPayload } from '../../../contract/errors.js';

const messageOf = (minimum: number): string => `A password has at least ${minimum} characters`;

/** Returns the declarations with the minimum length as the validation of users' passwords. */
export const requirePasswordLength = (
  declarations: readonly CollectionDeclaration[],
  minimum: number,
): readonly CollectionDeclaration[] =>
  declarations.map((declaration) => {
    const { password } = declaration.fields;
    if (declaration.name !== 'svc_users' || password === undefined) return declaration;
    const validation = { password: { _regex: `^[\\s\\S]{${minimum},}$` } };
    const required = { ...password, validation, validationMessage: messageOf(minimum) };
    return { ...declaration, fields: { ...declaration.fields, password: required } };
  });

/** @throws INVALID_PAYLOAD for a password that is too short */
export const checkPasswordLength = (password: string, minimum: number): void => {
  if ([...password].length < minimum) throw invalidPayload(messageOf(minimum));
};
