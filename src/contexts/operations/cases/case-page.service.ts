import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../kernel/text.js';
import { InboundTransfers, type OpenTransfer } from '../../funding/inbound-transfers.port.js';
import { type OperatedUser, Operators } from '../../identity/operators/operators.port.js';
import { type OperatedPayout, Payouts } from '../../settlement/payouts.port.js';
import { type OperatedWallet, OperatedWallets } from '../../wallet/operated-wallets.port.js';
import { ActsStore } from '../acts/acts.store.js';
import {
  type NamedAct,
  type NamedCase,
  type NamedProposal,
  OperatorNames,
} from '../acts/operator-names.service.js';
import { CasesStore } from './cases.store.js';

const LISTED_MAX = 20;

export interface CaseContents {
  readonly case: NamedCase;
  readonly transfers: readonly OpenTransfer[];
  readonly payout: OperatedPayout | null;
  readonly wallet: OperatedWallet | null;
  readonly users: readonly OperatedUser[];
  readonly proposals: readonly NamedProposal[];
  readonly acts: readonly NamedAct[];
}

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

  async of(caseId: string): Promise<CaseContents | null> {
    const found = await this.cases.of(caseId);
    if (!found) return null;
    const { id, kind, subject } = found;
    const isTransfer = kind.startsWith('transfer-');
    const transfers = isTransfer ? await this.transfers.ofReference(subject, LISTED_MAX) : [];
    const payout = isUuid(subject) ? await this.payoutOf(subject) : null;
    const walletId = found.walletId ?? payout?.walletId ?? null;
    const [wallet = null] = walletId === null ? [] : await this.wallets.find([walletId], 1);
    const users = wallet ? await this.users.find([wallet.accountId], LISTED_MAX) : [];
    const subjects = [id, ...transfers.map((each) => each.id), ...(payout ? [payout.reference] : [])];
    const [named] = await this.names.cases([found]);
    return {
      case: named as NamedCase,
      transfers,
      payout,
      wallet,
      users,
      proposals: await this.names.proposals(await this.acts.waitingFor(subjects)),
      acts: await this.names.acts(await this.acts.actsOn(subjects, id)),
    };
  }

  private async payoutOf(reference: string): Promise<OperatedPayout | null> {
    const { rows } = await this.payouts.page(null, [reference], { page: 1, pageSize: 1 });
    return rows[0] ?? null;
  }
}
