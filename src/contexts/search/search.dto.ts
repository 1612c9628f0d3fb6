import { ApiField, Name, Text } from '../../platform/http/api/fields.js';
import { RowCount } from '../../platform/http/api/pagination.js';
import { TextParameter } from '../../platform/http/api/query.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../platform/http/api/response-properties.js';
import { validationError } from '../../kernel/errors.js';
import { type Role, ROLES } from '../identity/permissions.port.js';
import type { Found } from './search.service.js';

const WORDS_MAX = 200;
const LIMIT_DEFAULT = 5;
const VIEW_NAME_MAX = 50;
const VIEW_QUERY_MAX = 2_000;

export class SearchQuery {
  @TextParameter(WORDS_MAX, 'Part of a name, or a whole account number, amount in naira, runId or id.')
  readonly q: string | null = null;

  @RowCount('How many of each kind', LIMIT_DEFAULT)
  readonly limit: number = LIMIT_DEFAULT;
}

/** Throws `VALIDATION_ERROR`. */
export function wordsOf({ q }: SearchQuery): string {
  if (q === null) throw validationError({ field: 'q', message: 'must say what to find' });
  return q;
}

class OfWallet {
  @ApiIdProperty('Its wallet.')
  walletId: string;

  @ApiTextProperty('Its wallet’s name.', 'Shopping agent')
  walletName: string;
}

class FoundWalletView {
  @ApiIdProperty('The wallet.')
  id: string;

  @ApiTextProperty('Its name.', 'Shopping agent')
  name: string;

  @ApiTextProperty('Its status.', 'ACTIVE')
  status: string;
}

class FoundPaymentView extends OfWallet {
  @ApiIdProperty('The payment.')
  id: string;

  @ApiTextProperty('As the request named it.', 'Jumia')
  merchantName: string;

  @ApiKoboProperty('What was asked for.', 250_000)
  amount: number;

  @ApiTextProperty('As GET /v1/transactions has it.', 'paid')
  status: string;

  @ApiTimeProperty('When it was requested.')
  createdAt: Date;
}

class FoundKeyView extends OfWallet {
  @ApiIdProperty('The key.')
  id: string;

  @ApiTextProperty('Null: the wallet’s first key.', 'Billing agent', OR_NULL)
  name: string | null;

  @ApiTextProperty('How the key begins.', 'apw_live_4fQx')
  prefix: string;

  @ApiBooleanProperty('It can no longer pay.', false)
  isRevoked: boolean;
}

class FoundPayeeView extends OfWallet {
  @ApiIdProperty('The payee.')
  id: string;

  @ApiTextProperty('The merchant.', 'Jumia')
  merchantName: string;

  @ApiTextProperty('By the bank’s records; null: unknown.', 'JUMIA LTD', OR_NULL)
  accountName: string | null;

  @ApiTextProperty('The bank account.', '0123456789')
  accountNumber: string;

  @ApiTextProperty('Its bank.', '058')
  bankCode: string;
}

class FoundMemberView {
  @ApiIdProperty('The member’s user.')
  userId: string;

  @ApiTextProperty('Their e-mail.', 'ada@example.ng')
  email: string;

  @ApiEnumProperty(ROLES, 'What they may do.')
  role: Role;
}

class SearchView {
  @ApiListProperty(FoundWalletView, 'By name or id.')
  wallets: FoundWalletView[];

  @ApiListProperty(FoundPaymentView, 'Of a long history the newest part is searched.')
  payments: FoundPaymentView[];

  @ApiListProperty(FoundKeyView, 'By name, prefix, purpose or id.')
  keys: FoundKeyView[];

  @ApiListProperty(FoundPayeeView, 'By merchant, account’s name or number.')
  payees: FoundPayeeView[];

  @ApiListProperty(FoundMemberView, 'By e-mail.')
  members: FoundMemberView[];
}

export class SearchResponse extends Success(SearchView) {}

export function presentSearch({ wallets, payments, keys, payees, members, walletNames }: Found): SearchView {
  const withWallet = <Row extends { readonly walletId: string }>(rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, walletName: walletNames.get(row.walletId) ?? '' }));
  return {
    wallets: [...wallets],
    payments: withWallet(payments),
    keys: withWallet(keys),
    payees: withWallet(payees),
    members: [...members],
  };
}

export class SaveViewRequest {
  @ApiField('A view of this name is replaced.', 'Blocked at Jumia')
  @Name(1, VIEW_NAME_MAX)
  name: string;

  @ApiField('The query of the payments’ screen.', 'search=Jumia&status=blocked')
  @Text(1, VIEW_QUERY_MAX)
  query: string;
}

export class RemoveViewRequest {
  @ApiField('Of the view.', 'Blocked at Jumia')
  @Name(1, VIEW_NAME_MAX)
  name: string;
}

class SavedViewView {
  @ApiTextProperty('Unique among them.', 'Blocked at Jumia')
  name: string;

  @ApiTextProperty('The query of the payments’ screen.', 'search=Jumia&status=blocked')
  query: string;
}

class SavedViewList {
  @ApiListProperty(SavedViewView, 'In the order in which they were first saved.')
  views: readonly SavedViewView[];
}

export class SavedViewsResponse extends Success(SavedViewList) {}
