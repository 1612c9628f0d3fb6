import type { Kobo } from '../../kernel/money.js';

/** Null: `wallet.low_balance` is not sent. */
export class LowBalanceThresholdChanged {
  static readonly type = 'wallet.low-balance-threshold-changed';
  readonly walletId: string;
  /** Who changed it. */
  readonly userId: string;
  readonly before: Kobo | null;
  readonly after: Kobo | null;

  constructor(payload: LowBalanceThresholdChanged) {
    Object.assign(this, payload);
  }
}

/** The service disabled a webhook endpoint, until its owner enables it. */
export class EndpointDisabled {
  static readonly type = 'webhook-endpoint.disabled';
  readonly endpointId: string;
  /** Owner. */
  readonly userId: string;
  readonly url: string;
  readonly reason: string;

  constructor(payload: EndpointDisabled) {
    Object.assign(this, payload);
  }
}
