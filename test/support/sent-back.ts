import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { type CreatedWallet, expectStatus, type TestService, until } from './service.js';

/** The sandbox pays this account, and takes the money back two seconds later. */
export const SENT_BACK = '9000000004';

/** Waits until so many payouts are at the bank. */
export const allEndedBut = (service: TestService, open: number): Promise<void> =>
  until(async () => {
    const [row] = await service.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM settlements WHERE status IN ('pending', 'processing')`,
    );
    return row?.count === open;
  });

/** Payouts that the sandbox paid and then took back. */
export class SentBack {
  constructor(private readonly service: TestService) {}

  poll(reference: string): Promise<void> {
    return this.service.app.get(SettlementService, { strict: false }).poll(reference);
  }

  /** A payment that the bank has paid. */
  async paid(wallet: CreatedWallet, amount = 100_000): Promise<string> {
    const answer = await this.service.pay(wallet.key, { amount, recipientAccountNo: SENT_BACK });
    const { reference } = expectStatus(201, answer).body.data.settlement;
    await this.ends(reference, 'succeeded');
    return reference;
  }

  ends(reference: string, status: string): Promise<void> {
    return until(async () => {
      const [row] = await this.service.query<{ status: string }>(
        'SELECT status FROM settlements WHERE reference = $1',
        [reference],
      );
      return row?.status === status;
    });
  }

  /** Lets the bank take it back; nobody was told. */
  async takeBack(reference: string): Promise<void> {
    await this.service.query(
      `UPDATE sandbox_payouts SET accepted_at = accepted_at - interval '2 seconds' WHERE reference = $1`,
      [reference],
    );
  }

  /** A payment that the bank took back, and the service knows of. */
  async returned(wallet: CreatedWallet, amount?: number): Promise<string> {
    const reference = await this.paid(wallet, amount);
    await this.takeBack(reference);
    await this.poll(reference);
    await this.ends(reference, 'reversed');
    return reference;
  }
}
