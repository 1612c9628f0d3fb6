import type { Kobo } from '../../kernel/money.js';

/** The balance below which `wallet.low_balance` is sent became another one; null: it is not sent. */
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

/** The service itself disabled a webhook endpoint: nothing more is sent to it until its owner enables it. */
export class EndpointDisabled {
  static readonly type = 'webhook-endpoint.disabled';
  readonly endpointId: string;
  /** Its owner. */
  readonly userId: string;
  readonly url: string;
  readonly reason: string;

  constructor(payload: EndpointDisabled) {
    Object.assign(this, payload);
  }
}
