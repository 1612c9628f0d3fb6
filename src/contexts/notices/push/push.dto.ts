import { ApiField, ExactText } from '../../../platform/http/api/fields.js';
import {
  ApiIdProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { URL_LENGTH_MAX } from '../../../platform/security/outbound-url.js';
import { SUBSCRIPTIONS_MAX } from './push.domain.js';

const KEY_LENGTH_MAX = 200;
const ENDPOINT = 'https://fcm.googleapis.com/fcm/send/abc';
const P256DH = 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM';
const AUTH = 'tBHItJI5svbpez7KI4CCXg';

export class PushSubscriptionRequest {
  @ApiField('URL at the push service of the browser, from `PushManager.subscribe`.', ENDPOINT)
  @ExactText(1, URL_LENGTH_MAX)
  endpoint: string;

  @ApiField('Its key `p256dh`, in base64url.', P256DH)
  @ExactText(1, KEY_LENGTH_MAX)
  p256dh: string;

  @ApiField('Its secret `auth`, in base64url.', AUTH)
  @ExactText(1, KEY_LENGTH_MAX)
  auth: string;
}

export class PushSubscriptionView {
  @ApiIdProperty('The browser’s subscription.')
  id: string;

  @ApiTextProperty('By which a browser knows its own.', ENDPOINT)
  endpoint: string;

  @ApiTextProperty('User agent of the browser; null: it sent none.', 'Mozilla/5.0 (Android 16)', OR_NULL)
  device: string | null;

  @ApiTimeProperty('When it was first turned on.')
  createdAt: Date;
}

export class PushSubscriptionResponse extends Success(PushSubscriptionView) {}

export class PushSubscriptionsResponse extends ListOf(
  PushSubscriptionView,
  `Newest first; one more than ${SUBSCRIPTIONS_MAX} replaces the oldest.`,
) {
  @ApiTextProperty('`applicationServerKey` of a new subscription.', P256DH)
  publicKey: string;
}

class RemovedPushSubscription {
  @ApiIdProperty('The browser’s subscription.')
  id: string;
}

export class RemovedPushSubscriptionResponse extends Success(RemovedPushSubscription) {}
