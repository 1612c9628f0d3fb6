import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize } from 'class-validator';
import { ApiField, BooleanField, EnumField, Optional, Uuids } from '../../platform/http/api/fields.js';
import { Pagination } from '../../platform/http/api/pagination.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../platform/http/api/response-properties.js';
import { NOTICE_KINDS, type NoticeKind, NOTICES_KEPT_MAX } from './notices.domain.js';

export class NoticeView {
  @ApiIdProperty('The notification.')
  id: string;

  @ApiEnumProperty(NOTICE_KINDS, 'What it is about.')
  kind: NoticeKind;

  @ApiTextProperty('For people.', 'Approve ₦2,500.00 to Jumia?')
  title: string;

  @ApiTextProperty('For people.', 'Payments above ₦1,000.00 wait for your decision.')
  text: string;

  @ApiTextProperty('Where it leads in the dashboard.', '/approvals?id=019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40')
  path: string;

  @ApiIdProperty('Null: it is about no wallet.', OR_NULL)
  walletId: string | null;

  @ApiTimeProperty('When it happened.')
  createdAt: Date;

  @ApiTimeProperty('Null: not read.', OR_NULL)
  readAt: Date | null;

  @ApiTextProperty('What was done about it; null: nothing yet.', 'approved', OR_NULL)
  outcome: string | null;

  @ApiTextProperty('E-mail of who did it; null: nobody, or nothing was done.', 'ada@example.ng', OR_NULL)
  outcomeBy: string | null;

  @ApiTimeProperty('Null: nothing was done.', OR_NULL)
  outcomeAt: Date | null;
}

export class NoticesResponse extends ListOf(NoticeView, `Newest first; ${NOTICES_KEPT_MAX} are kept.`) {
  @ApiIntegerProperty('Not read, on all pages.', 3, { minimum: 0 })
  unread: number;

  @ApiProperty({ type: Pagination })
  pagination: Pagination;
}

export class ReadRequest {
  @Optional()
  @ApiField('Those that were read. Absent: all.', ['019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f'])
  @ArrayMaxSize(NOTICES_KEPT_MAX, { message: `$property must have at most ${NOTICES_KEPT_MAX} entries` })
  @Uuids()
  @ApiProperty({ type: 'array', items: { type: 'string', format: 'uuid' }, maxItems: NOTICES_KEPT_MAX })
  ids?: string[] | null;
}

class Unread {
  @ApiIntegerProperty('Notifications that are not read.', 0, { minimum: 0 })
  unread: number;
}

export class ReadResponse extends Success(Unread) {}

export class SettingRequest {
  @EnumField(...NOTICE_KINDS)
  @ApiField('Which notifications.', 'payment.failed')
  kind: NoticeKind;

  @BooleanField()
  @ApiField('Send them by e-mail.', true)
  mail: boolean;

  @Optional()
  @BooleanField()
  @ApiField('Push them to your browsers. Absent: as before.', true)
  push?: boolean | null;
}

class SettingView {
  @ApiEnumProperty(NOTICE_KINDS, 'Which notifications.')
  kind: NoticeKind;

  @ApiTextProperty('For people.', 'A payout failed')
  title: string;

  @ApiBooleanProperty('They are sent by e-mail.', true)
  mail: boolean;

  @ApiBooleanProperty('They are pushed to your browsers, if you turned any on.', true)
  push: boolean;
}

export class SettingsResponse extends ListOf(SettingView, 'The kinds that your role is told of.') {
  @ApiBooleanProperty('This service sends e-mail.', true)
  mailAvailable: boolean;
}
