import { Injectable } from '@nestjs/common';
import { BRAND } from '../../../kernel/brand.js';
import { Config, dashboardUrl } from '../../../platform/config.js';
import { AfterCommit } from '../../../platform/events/events.js';
import { laidOut } from '../../../platform/mail/letter.js';
import { Mail } from '../../../platform/mail/mail.js';
import { Users } from '../../identity/identity.port.js';
import { EndpointDisabled } from '../notifications.events.js';

@Injectable()
export class EndpointMail {
  constructor(
    private readonly users: Users,
    private readonly mail: Mail,
    private readonly config: Config,
  ) {}

  /** Names only the host, since the rest of a URL may hold a secret. At least once. */
  @AfterCommit(EndpointDisabled)
  async tellOwners(events: readonly EndpointDisabled[]): Promise<void> {
    if (!this.mail.isConfigured) return;
    for (const { endpointId, userId: accountId, url, reason } of events)
      for (const to of await this.users.ownerEmails(accountId))
        await this.tell(to, { endpointId, url, reason });
  }

  private async tell(
    to: string,
    { endpointId, url, reason }: Omit<EndpointDisabled, 'userId'>,
  ): Promise<void> {
    await this.mail.send(
      laidOut({
        to,
        subject: 'A webhook endpoint was paused',
        paragraphs: [
          `${BRAND} sends nothing more to your webhook endpoint at ${new URL(url).host}: ${reason}.`,
          'What happens from now on is not sent to it later. Resume it once it works again.',
        ],
        action: { label: 'Open the endpoint', url: `${dashboardUrl(this.config)}/webhooks/${endpointId}` },
      }),
    );
  }
}
