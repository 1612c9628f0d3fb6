import { ApiObjectProperty, ApiTextProperty } from '../../platform/http/api/response-properties.js';

/* For the OpenAPI document; the controller reads the body itself. */

export class PayoutWebhookData {
  @ApiTextProperty(
    'The reference of the payout: the id of the approved transaction.',
    '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
    {
      minLength: 1,
      maxLength: 200,
    },
  )
  reference: string;
}

export class PayoutWebhookRequest {
  @ApiTextProperty('What the bank calls it. It is not believed: the bank is asked.', 'transfer.success')
  event: string;

  @ApiObjectProperty(PayoutWebhookData, 'The payout.')
  data: PayoutWebhookData;
}
