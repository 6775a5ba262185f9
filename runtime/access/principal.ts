/** The caller of a request, and how policies make one of the holder of a token. */
import { forbidden } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import { readAddressList, requireAddress } from './addresses.js';
import type { AccessRecords, PolicyIndex, PolicySet, User } from './policies.js';

/** The caller of a request, as of `version`. */
export interface Principal {
  /** `null` for an anonymous caller, to whom only public policies apply. */
  readonly user: User | null;
  readonly policies: PolicySet;
  /** True where a policy requires a second factor that the user has not set up; nothing is permitted until then. */
  readonly needsSecondFactor: boolean;
  /** The user's role and its ancestors. */
  readonly roles: readonly string[];
  /** Id of the login session; `null` for static tokens and anonymous callers. */
  readonly session: string | null;
  /** `Holder.credentialDigest`; empty for an anonymous caller. */
  readonly credentialDigest: string;
  readonly records: AccessRecords;
  /** Access version at which the policies were read. */
  readonly version: string;
}

/** The user to whom a token belongs. */
export interface Holder {
  readonly user: User;
  readonly session: string | null;
  /** Digest of the credential: a static token itself, otherwise the password hash with which the session began. */
  readonly credentialDigest: string;
  /** Unix time in milliseconds at which the token expires, or at which that of a static token is read again. */
  readonly expires: number;
}

/** The policies of a holder, which may depend on the address of the client. */
export interface ResolvedPolicies {
  /** `null` if it depends on the client address. */
  readonly principal: Principal | null;
  readonly resolve: (address: () => string) => Principal;
}

/** Returns the principal of resolved policies for the address of a request. @throws INVALID_IP */
export const toPrincipal = ({ principal, resolve }: ResolvedPolicies, request: ApiRequest): Principal =>
  principal ?? resolve(() => request.address());

/**
 * Resolves the policies of a holder, or the public ones for null: to a principal, where none depends on the address of the
 * request, else to a function from the address to one.
 */
export const resolvePolicies = (holder: Holder | null, policyIndex: PolicyIndex): ResolvedPolicies => {
  const user = holder?.user ?? null;
  const list = readAddressList(user?.columns.ip_access);
  const common = {
    user,
    session: holder?.session ?? null,
    credentialDigest: holder?.credentialDigest ?? '',
    roles: policyIndex.rolesOf(user),
    records: policyIndex.records,
    version: policyIndex.version,
  };
  const resolve = (address: () => string): Principal => {
    if (list !== null) requireAddress(list, address());
    const policies = policyIndex.policiesOf(user, address);
    const needsSecondFactor = policies.requiresSecondFactor && user !== null && user.secondFactor !== true;
    return { ...common, needsSecondFactor, policies: needsSecondFactor ? policyIndex.emptySet : policies };
  };
  const isAnyAddress = list === null && !policyIndex.dependsOnAddress(user);
  return { resolve, principal: isAnyAddress ? resolve(() => '') : null };
};

/** Rejects a caller who has to set up a second factor first. @throws FORBIDDEN */
export const requireSecondFactor = ({ needsSecondFactor }: Principal): void => {
  if (needsSecondFactor) throw forbidden('set up one-time passwords first, with POST /users/me/tfa/generate');
};
