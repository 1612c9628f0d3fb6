import pg from 'pg';
import { isStandbyWaitCanceled } from './failures.js';
import type { SilenceWatch } from './wire/silence-watch.js';

export class Connection extends pg.Client {
  private isStandbyWaitCanceled = false;

  constructor(config?: pg.ClientConfig & { readonly silenceWatch?: SilenceWatch }) {
    super(config);
    config?.silenceWatch?.add(this);
    this.on('notice', (notice) => {
      if (isStandbyWaitCanceled(notice)) this.isStandbyWaitCanceled = true;
    });
  }

  /** True once after the wait for the standby was canceled. */
  takeStandbyWaitCanceled(): boolean {
    const isCanceled = this.isStandbyWaitCanceled;
    this.isStandbyWaitCanceled = false;
    return isCanceled;
  }
}
