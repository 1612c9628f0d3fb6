import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { BRAND } from '../../kernel/brand.js';
import { NEXT } from './tools/refusals.js';

const GUIDE = `# ${BRAND}

> Pays Nigerian bank accounts in naira (NGN) from a wallet, within rules that its owner set. You pay with the wallet's API
> key; you can not change the rules. Amounts are whole numbers of kobo: 100 kobo = ₦1, so ₦400.00 is 40000.

## How to pay

1. See what you can spend: \`GET /api/wallet\` with the header \`x-api-key: <key>\` (or \`Authorization: Bearer <key>\`).
2. Check the name behind the account: \`POST /v1/accounts/resolve\` with \`{"accountNumber":"0123456789","bankCode":"058"}\`.
   \`GET /v1/banks\` lists the banks. Money sent is gone.
3. Pay: \`POST /api/payment-intent\` with the header \`Idempotency-Key: <one per thing bought>\` and
   \`{"amount":40000,"merchantName":"Shoprite","recipientAccountNo":"0123456789","recipientBankCode":"058","reason":"Milk"}\`.
   201: approved and on its way. 202: a person has to approve it; look again with \`GET /api/payment-intent/<id>\`. 402, 403 and 409: blocked, no
   money moved; \`hint\` says what would pass.
4. See how the transfer goes: \`GET /api/payment-intent/<id>\`. \`settlement.status\` \`succeeded\`: paid. \`failed\`:
   not paid, the money is back in the wallet. \`reversed\`: sent back by the bank; the money is back in the wallet once
   \`settlement.refundedAt\` is a time. Until then operators of the service resolve it: do not pay it again. All of your payments: \`GET /api/payment-intent\`.

\`POST /api/payment-intent/quote\` takes the same body and says what a payment would be, without making one.

## Over MCP

\`/mcp\` speaks Streamable HTTP at revisions 2026-07-28 and 2025-11-25, with \`Authorization: Bearer <key>\`. Tools: get_wallet,
quote_payment, make_payment, get_payment, list_payments, resolve_account, list_banks. \`purchaseId\` of make_payment is the
Idempotency-Key.

## When to try again

- No answer, a lost connection, a timeout, 500, or OUTCOME_UNKNOWN: send the same again with the **same** Idempotency-Key.
  It is paid at most once, and you get the answer of the first time.
- 429, and 503 with any other code than OUTCOME_UNKNOWN: nothing was carried out; the same again after the seconds of
  \`Retry-After\`.
- Blocked (402, 403, 409): the same key always answers the same block, with \`replayed: true\` and a \`hint\` of what would
  pass now. A new attempt, with a new key, only when something has changed: less money, a later time
  (\`earliestPassAt\`), or the owner's rules. Never split one purchase to get under a limit.
- IDEMPOTENCY_KEY_REUSED (422): the key belongs to another payment, \`transactionId\`. Read that one first: if the purchase is
  the same, do not pay again.
- 400, 401, 404: the request is wrong; do not repeat it as it is.

## What each code means for you

${Object.entries(NEXT)
  .map(([code, next]) => `- ${code}: ${next}`)
  .join('\n')}

## More

- [OpenAPI document](/openapi.json): every route and error, with schemas
- [API reference](/docs): the same to read
- [MCP metadata](/.well-known/oauth-protected-resource/mcp): where the MCP endpoint is and how it is authorized
`;

@ApiExcludeController()
@Controller('llms.txt')
export class GuideController {
  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', 'no-cache')
  guide(): string {
    return GUIDE;
  }
}
