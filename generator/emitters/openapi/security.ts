/** Describes how clients authenticate. */
import type { SecurityRequirementObject, SecuritySchemeObject } from 'openapi3-ts/oas31';
import type { Model } from '../../model/types.js';

const tokens: Readonly<Record<string, SecuritySchemeObject>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Token in the header `Authorization: Bearer <token>`.',
  },
  accessToken: {
    type: 'apiKey',
    in: 'query',
    name: 'access_token',
    description: 'Token as a query parameter, for clients that cannot set headers.',
  },
};

const keys: Readonly<Record<string, SecuritySchemeObject>> = {
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'Key of the queue, as `Authorization: Key <id>:<secret>`.',
  },
};

/** Returns the security schemes; queue keys only where there are queue models. */
export const securitySchemesOf = ({ queueModels }: Model): Record<string, SecuritySchemeObject> => ({
  ...tokens,
  ...(queueModels.length > 0 && keys),
});

export const keySecurity: SecurityRequirementObject[] = [{ key: [] }, { bearer: [] }];

export const tokenSecurity: SecurityRequirementObject[] = [{ bearer: [] }, { accessToken: [] }];

/** Operations that accept keys of the queue as well as tokens. */
export const tokenOrKeySecurity: SecurityRequirementObject[] = [...tokenSecurity, { key: [] }];

/** Requests without a token have the permissions of the public policies. */
export const openSecurity: SecurityRequirementObject[] = [{}, ...tokenSecurity];
