/** Handlers of `spec/operations/invitations.yaml`. */
import { untilConfirmed } from '../access/confirmation.js';
import type { Principal } from '../access/principal.js';
import type { Operations } from '../../generated/server/operations.js';
import { findByEmail } from '../auth/accounts.js';
import { createPasswordLinks, type PasswordLinkServices } from '../auth/password-links.js';
import { apiError, forbidden } from '../../contract/errors.js';
import type { Database } from '../databases/contract.js';
import { createContext, type ItemContext } from '../items/context.js';
import { createItems } from '../items/write.js';
import { parseQuery } from '../request/query.js';
import { recordChanges } from './activity.js';
import { clientOf } from './context.js';
import { requirePasswords } from './password.js';
import { usersOf, type OperationServices } from './services.js';

/** Creates the handlers: an invitation is a user without a password, and a mail with a link that sets one. */
export const createInviteOperations = (services: OperationServices, shared: PasswordLinkServices) => {
  const { config, url, background, database } = services;
  const links = createPasswordLinks(
    {
      purpose: 'invite',
      template: 'invitation',
      status: 'invited',
      statusAfter: 'active',
      page: () => `${url()}/reset-password?invited`,
      pages: config.auth.inviteUrls,
      refusedPage: '"invite_url" is not in USER_INVITE_URL_ALLOW_LIST',
      ttl: config.auth.inviteTtl,
    },
    shared,
  );

  return {
    async usersInvite({ body: { email, role = null, invite_url: target } }, context) {
      requirePasswords(config, '/users/invite');
      const addresses = withoutRepetitions([email].flat());
      const page = await untilConfirmed(async () => {
        const principal = await context.renew();
        requireRight(principal, services);
        if (shared.send === null)
          throw apiError(
            'SERVICE_UNAVAILABLE',
            { service: 'mail' },
            'no mail is sent without EMAIL_SMTP_HOST',
          );
        const found = links.pageOf(target);
        await createUnknown(
          { addresses, role },
          createContext(services, principal, clientOf(context)),
          services,
        );
        return found;
      });
      background.run('invitations', async () => {
        for (const address of addresses) await links.send(await findByEmail(database, address), page);
      });
    },

    async usersInviteAccept({ body: { token, password } }, context) {
      requirePasswords(config, '/users/invite/accept');
      const { address } = context.client;
      await links.setPassword({ token, password, address }, recordChanges(services, context));
    },
  } satisfies Partial<Operations>;
};

/** Drops addresses that others of the list equal in lower case, in which users are stored. */
const withoutRepetitions = (addresses: readonly string[]): readonly string[] => [
  ...new Map(addresses.map((address) => [address.toLowerCase(), address])).values(),
];

interface Invited {
  readonly addresses: readonly string[];
  readonly role: string | null;
}

/** Without this right, nobody learns of settings or of who is known, or has mails sent. @throws FORBIDDEN */
const requireRight = ({ policies }: Principal, services: OperationServices): void => {
  if (policies.grant(usersOf(services), 'create') === null) throw forbidden('you may not create users');
};

/** Creates those users that do not exist yet, with the rights of the caller. @throws what creating does */
const createUnknown = async (
  { addresses, role }: Invited,
  item: ItemContext,
  services: OperationServices,
): Promise<void> => {
  const unknown = await findUnknown(addresses, services.database);
  if (unknown.length === 0) return;
  const payload = unknown.map((email) => ({ email, role, status: 'invited' }));
  await createItems({ collection: usersOf(services), parsed: parseQuery('') }, payload, item);
};

const findUnknown = async (addresses: readonly string[], database: Database): Promise<readonly string[]> => {
  const accounts = await Promise.all(addresses.map((email) => findByEmail(database, email)));
  return addresses.filter((_, index) => accounts[index] === null);
};
