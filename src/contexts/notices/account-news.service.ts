import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AfterCommit } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { SessionStarted } from '../identity/identity.events.js';
import {
  EndpointDisabled,
  EndpointFailing,
  EndpointRecovered,
} from '../notifications/notifications.events.js';
import { PayeeRemembered } from '../payments/payments.events.js';
import { ApiKeyAdded, PayeeRegistered } from '../wallet/wallet.events.js';
import { Wallets } from '../wallet/wallet.port.js';
import { NoticesService } from './notices.service.js';

/** Job of {@link AccountNews.endpointsDisabled} in rows queued by earlier versions. */
const FORMER_ENDPOINT_JOB = 'webhook-endpoint.disabled EndpointMail.tellOwners';

const failingKey = (endpointId: string, since: string) => `webhook_endpoint.failing ${endpointId} ${since}`;

@Injectable()
export class AccountNews {
  constructor(
    private readonly notices: NoticesService,
    private readonly wallets: Wallets,
    private readonly database: Database,
    jobs: Jobs,
  ) {
    jobs.define<readonly EndpointDisabled[]>(FORMER_ENDPOINT_JOB, (events) => this.endpointsDisabled(events));
  }

  @AfterCommit(SessionStarted)
  async sessionsStarted(events: readonly SessionStarted[]): Promise<void> {
    await this.notices.tell(
      events.map(({ sessionId, userId, accountId, address, device, at }) => ({
        kind: 'session.started',
        accountId,
        key: `session.started ${sessionId}`,
        walletId: null,
        subjectId: sessionId,
        parts: { at, address, ...(device !== null && { device }) },
        onlyTo: userId,
      })),
    );
  }

  @AfterCommit(ApiKeyAdded)
  async keysAdded(events: readonly ApiKeyAdded[]): Promise<void> {
    const labels = await this.wallets.keyLabels(events.map(({ keyId }) => keyId));
    for (const { walletId, keyId } of events) {
      const { accountId, walletName } = await this.walletOf(walletId);
      const { name = null, prefix = '' } = labels.get(keyId) ?? {};
      await this.notices.tell([
        {
          kind: 'key.created',
          accountId,
          key: `key.created ${keyId}`,
          walletId,
          subjectId: keyId,
          parts: { walletName, keyName: name ?? prefix },
        },
      ]);
    }
  }

  @AfterCommit(PayeeRegistered)
  async payeesRegistered(events: readonly PayeeRegistered[]): Promise<void> {
    for (const event of events) await this.tellOfPayee(event.walletId, event);
  }

  /** Those bound by a payment; old ones that a new policy found are not new. */
  @AfterCommit(PayeeRemembered)
  async payeesRemembered(events: readonly PayeeRemembered[]): Promise<void> {
    for (const { walletId, payeeId, accountNumber, bankCode, merchantName } of events) {
      if (merchantName === undefined) continue;
      await this.tellOfPayee(walletId, { payeeId, accountNumber, bankCode, merchantName });
    }
  }

  @AfterCommit(EndpointDisabled)
  async endpointsDisabled(events: readonly EndpointDisabled[]): Promise<void> {
    await this.notices.tell(
      events.map(({ endpointId, userId: accountId, url, reason, at = '' }) => ({
        kind: 'webhook_endpoint.disabled',
        accountId,
        key: `webhook_endpoint.disabled ${endpointId} ${at}`,
        walletId: null,
        subjectId: endpointId,
        // The rest of a URL may hold a secret.
        parts: { host: new URL(url).host, reason },
      })),
    );
  }

  @AfterCommit(EndpointFailing)
  async endpointsFailing(events: readonly EndpointFailing[]): Promise<void> {
    await this.notices.tell(
      events.map(({ endpointId, accountId, url, since }) => ({
        kind: 'webhook_endpoint.disabled',
        accountId,
        key: failingKey(endpointId, since),
        walletId: null,
        subjectId: endpointId,
        parts: { host: new URL(url).host, since },
      })),
    );
  }

  @AfterCommit(EndpointRecovered)
  async endpointsRecovered(events: readonly EndpointRecovered[]): Promise<void> {
    for (const { endpointId, accountId, since } of events)
      await this.notices.end(accountId, failingKey(endpointId, since), 'works again', null);
  }

  private async tellOfPayee(
    walletId: string,
    payee: Pick<PayeeRegistered, 'payeeId' | 'merchantName' | 'accountNumber' | 'bankCode'> & {
      readonly accountName?: string | null;
    },
  ): Promise<void> {
    const { accountId, walletName } = await this.walletOf(walletId);
    const { payeeId, merchantName, accountNumber, bankCode, accountName = null } = payee;
    await this.notices.tell([
      {
        kind: 'payee.added',
        accountId,
        key: `payee.added ${payeeId}`,
        walletId,
        subjectId: payeeId,
        parts: {
          walletName,
          merchantName,
          accountNumber,
          bankCode,
          ...(accountName !== null && { accountName }),
        },
      },
    ]);
  }

  private async walletOf(walletId: string): Promise<{ accountId: string; walletName: string }> {
    const accounts = await this.wallets.ownersOf([walletId], this.database);
    const accountId = accounts.get(walletId);
    if (accountId === undefined) throw new Error(`the wallet ${walletId} does not exist`);
    return { accountId, walletName: (await this.wallets.namesOf([walletId])).get(walletId) ?? 'a wallet' };
  }
}
