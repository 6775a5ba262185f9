/** Rules of new passwords: the minimum length (`PASSWORD_MIN_LENGTH`) and the validation in the spec. */
import type { CollectionDeclaration } from '../../../contract/collection.js';

/** Returns the declarations with the minimum length added to the validation of users' passwords. */
export const requirePasswordLength = (
  declarations: readonly CollectionDeclaration[],
  minimum: number,
): readonly CollectionDeclaration[] =>
  declarations.map((declaration) => {
    const { password } = declaration.fields;
    if (declaration.name !== 'svc_users' || password === undefined) return declaration;
    const { validation, validationMessage } = password;
    const length = { password: { _regex: `^[\\s\\S]{${minimum},}$` } };
    const message = `A password has at least ${minimum} characters`;
    const required = {
      ...password,
      validation: validation === undefined ? length : { _and: [length, validation] },
      validationMessage: validationMessage === undefined ? message : `${message}. ${validationMessage}`,
    };
    return { ...declaration, fields: { ...declaration.fields, password: required } };
  });
