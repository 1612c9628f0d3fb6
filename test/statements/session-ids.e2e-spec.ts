import { expect, it } from '@jest/globals';
import { sessionIdOf } from '../fake-bank/kora-api.js';
import { expectStatus } from '../support/service.js';
import { FAILING, type ServiceWithBank, useFakeBank } from '../support/with-fake-bank.js';
import { textsOf } from './pdf-texts.js';
import { csvOf, madeStatement } from './statement-helpers.js';

let banked: ServiceWithBank;
useFakeBank((started) => (banked = started));

it('the session id that Kora answers of a payout stands at its entry in the statement, in CSV and PDF', async () => {
  const wallet = await banked.funded();
  const paid = await banked.pay(wallet);
  const failed = await banked.pay(wallet, FAILING);
  expect([await banked.endOf(paid), await banked.endOf(failed)]).toEqual(['succeeded', 'failed']);
  const { service } = banked;
  const month = new Date(Date.now() + 3_600_000).toISOString().slice(0, 7);
  const { id } = await madeStatement(service, wallet.owner, month, wallet.id);
  const sessionId = sessionIdOf({ reference: paid });
  expect(sessionId).toMatch(/^\d{30}$/);

  const lines = await csvOf(service, wallet.owner, id);
  const told = lines.filter(({ type }) => !type!.endsWith('balance') && type !== 'Money in');
  expect(told.map((line) => [line.type, line.bank_reference, line.session_id])).toEqual([
    ['Payment', paid, `"=""${sessionId}"""`],
    ['Payment', failed, ''],
    ['Refund of a payment', failed, ''],
  ]);
  const { rawPayload } = await service.app.inject({
    method: 'GET',
    url: `/v1/statements/${id}/pdf`,
    headers: { authorization: `Bearer ${wallet.owner.token}` },
  });
  const sessions = textsOf(rawPayload).flatMap((text) => text.match(/^Session.*$/gm) ?? []);
  expect(sessions).toEqual([`Session ${sessionId}`]);
  const { body } = expectStatus(
    200,
    await service.get<{ data: { sessionId: string | null }[] }>(`/v1/wallets/${wallet.id}/ledger`, {
      token: wallet.owner.token,
    }),
  );
  expect(body.data.map((entry) => entry.sessionId).filter(Boolean)).toEqual([sessionId]);
});
