/** How a caller says who they are (seed §5.2). */
import type { SecurityRequirementObject, SecuritySchemeObject } from 'openapi3-ts/oas31';

export const securitySchemes: Readonly<Record<string, SecuritySchemeObject>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token in the header `Authorization: Bearer <token>`.',
  },
  accessToken: {
    type: 'apiKey',
    in: 'query',
    name: 'access_token',
    description: 'The same token as a query parameter, for clients that cannot set headers.',
  },
};

export const tokenSecurity: SecurityRequirementObject[] = [{ bearer: [] }, { accessToken: [] }];

/** Without a token a caller has what the public policies permit. */
export const openSecurity: SecurityRequirementObject[] = [{}, ...tokenSecurity];
