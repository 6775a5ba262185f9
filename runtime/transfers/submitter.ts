/** Runs work as the user who submitted a transfer, with the rights that the user has now. */
import type { Access } from '../access/access.js';
import { requireSecondFactor, type Principal } from '../access/principal.js';
import { ApiError, apiError } from '../../contract/errors.js';
import { findUserRow, rowToUser } from '../execute/access-source.js';
import { createContext, type ItemContext, type ItemServices } from '../items/context.js';
import type { ApiRequest } from '../request/api-request.js';

/** The user who submitted a transfer, and the address of the request. */
export interface Submitter {
  readonly account: string;
  /** Address of the client, which policies may depend on. */
  readonly address: string;
}

export interface TransferServices {
  readonly items: ItemServices;
  readonly access: Access;
}

/** The error of a submitter who is no longer permitted the transfer, as opposed to a row that cannot be imported. */
export class RightsLost extends Error {
  override readonly cause: ApiError;

  constructor(cause: ApiError) {
    super(cause.message);
    this.cause = cause;
  }
}

/** Returns the principal of a submitter now. @throws INVALID_CREDENTIALS where the user is gone or not active; INVALID_IP */
const findPrincipal = async (
  { account, address }: Submitter,
  { items, access }: TransferServices,
): Promise<Principal> => {
  const row = await findUserRow(items.database, account);
  if (row?.status !== 'active') throw apiError('INVALID_CREDENTIALS', {});
  const principal = await access.admit(rowToUser(row), { address: () => address } as ApiRequest);
  requireSecondFactor(principal);
  return principal;
};

/**
 * Runs work as the submitter, then releases the response memory that it reserved.
 * @throws RightsLost where the user is gone, is not active, or may not log in as the request did
 */
export const runAsSubmitter = async <Result>(
  submitter: Submitter,
  services: TransferServices,
  work: (context: ItemContext) => Promise<Result>,
): Promise<Result> => {
  const principal = await findPrincipal(submitter, services).catch((error: unknown) => {
    throw error instanceof ApiError && error.status < 500 ? new RightsLost(error) : error;
  });
  const closing: (() => void)[] = [];
  const context = createContext(services.items, principal, {
    address: () => submitter.address,
    headers: {},
    onClose: (callback) => void closing.push(callback),
  });
  try {
    return await work(context);
  } finally {
    for (const close of closing) close();
  }
};
