import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../kernel/text.js';
import { InboundTransfers } from '../../funding/inbound-transfers.port.js';
import { Operators } from '../../identity/operators/operators.port.js';
import { Payouts } from '../../settlement/payouts.port.js';
import { OperatedWallets } from '../../wallet/operated-wallets.port.js';
import { ActsStore } from '../acts/acts.store.js';
import { OperatorNames } from '../acts/operator-names.service.js';
import type { OperatorCase } from '../operations.entity.js';
import type { CasePage } from './case-page.dto.js';
import type { ShownCase } from './cases.dto.js';
import { CasesStore } from './cases.store.js';
import { presentWallet } from './find.dto.js';

const LISTED_MAX = 20;

@Injectable()
export class CasePages {
  constructor(
    private readonly cases: CasesStore,
    private readonly acts: ActsStore,
    private readonly names: OperatorNames,
    private readonly transfers: InboundTransfers,
    private readonly payouts: Payouts,
    private readonly wallets: OperatedWallets,
    private readonly users: Operators,
  ) {}

  async of(caseId: string): Promise<CasePage | null> {
    const found = await this.cases.of(caseId);
    if (!found) return null;
    const { kind, subject } = found;
    const transfers = kind.startsWith('transfer-')
      ? await this.transfers.ofReference(subject, LISTED_MAX)
      : [];
    const payout = isUuid(subject) ? await this.payoutOf(subject) : null;
    const walletId = found.walletId ?? payout?.walletId ?? null;
    const [wallet = null] = walletId === null ? [] : await this.wallets.find([walletId], 1);
    const users = wallet ? await this.users.find([wallet.accountId], LISTED_MAX) : [];
    const subjects = [found.id, ...transfers.map(({ id }) => id), ...(payout ? [payout.reference] : [])];
    const [shown] = await this.withOwners([found]);
    return {
      case: shown as ShownCase,
      transfers,
      payout,
      wallet: wallet && presentWallet(wallet),
      users,
      proposals: await this.names.proposals(await this.acts.waitingFor(subjects)),
      acts: await this.names.acts(await this.acts.actsOn(subjects, found.id)),
    };
  }

  async withOwners(cases: readonly OperatorCase[]): Promise<readonly ShownCase[]> {
    const emails = await this.names.of(cases.map(({ ownerId }) => ownerId));
    return cases.map((each) => ({ ...each, owner: emails.get(each.ownerId ?? '') ?? null }));
  }

  private async payoutOf(reference: string) {
    const { rows } = await this.payouts.page(null, [reference], { page: 1, pageSize: 1 });
    return rows[0] ?? null;
  }
}
