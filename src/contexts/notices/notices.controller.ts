import { Body, Controller, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/api/operation.js';
import { PageQuery, paginated } from '../../platform/http/api/pagination.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { Mail } from '../../platform/mail/mail.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { KINDS } from './notices.domain.js';
import {
  NoticesResponse,
  type NoticeView,
  ReadRequest,
  ReadResponse,
  SettingRequest,
  SettingsResponse,
} from './notices.dto.js';
import type { Notice } from './notices.entity.js';
import { type Chosen, NoticesService } from './notices.service.js';
import { wordsOf } from './words.domain.js';

@ApiTags('notifications')
@Controller('v1/notifications')
@Authenticated()
export class NoticesController {
  constructor(private readonly notices: NoticesService) {}

  @Get()
  @Can('wallets.read')
  @StrictQuery(PageQuery)
  @Operation({
    id: 'listNotifications',
    summary: 'List the notifications of the signed-in user',
    answers: NoticesResponse,
  })
  async list(@Query() request: PageQuery, @Session() session: SessionUser): Promise<NoticesResponse> {
    const { rows, total, unread, timeZone } = await this.notices.list(session, request);
    const shown = rows.map((notice) => present(notice, timeZone));
    return { ...paginated(request, { rows: shown, total }), unread };
  }

  @Post('read')
  @HttpCode(200)
  @Can('wallets.read')
  @Operation({
    id: 'readNotifications',
    summary: 'Mark notifications as read',
    answers: ReadResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async read(@Body() { ids }: ReadRequest, @Session() session: SessionUser): Promise<ReadResponse> {
    return { success: true, data: { unread: await this.notices.read(session, ids ?? null) } };
  }
}

@ApiTags('notifications')
@Controller('v1/notification-settings')
@Authenticated()
export class NoticeSettingsController {
  constructor(
    private readonly notices: NoticesService,
    private readonly mail: Mail,
  ) {}

  @Get()
  @Can('self')
  @Operation({
    id: 'getNotificationSettings',
    summary: 'Read which notifications are sent to the signed-in user',
    answers: SettingsResponse,
  })
  async get(@Session() session: SessionUser): Promise<SettingsResponse> {
    return this.present(await this.notices.settings(session));
  }

  @Put()
  @Can('self')
  @Operation({
    id: 'setNotificationSetting',
    summary: 'Choose how one kind of notification is sent',
    answers: SettingsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async set(@Body() choice: SettingRequest, @Session() session: SessionUser): Promise<SettingsResponse> {
    return this.present(await this.notices.choose(session, { ...choice, push: choice.push ?? null }));
  }

  private present(choices: readonly Chosen[]): SettingsResponse {
    return {
      success: true,
      data: choices.map(({ kind, mail, push }) => ({ kind, title: KINDS[kind].title, mail, push })),
      mailAvailable: this.mail.isConfigured,
    };
  }
}

function present(notice: Notice, timeZone: string): NoticeView {
  const { title, text, path } = wordsOf(notice, timeZone);
  const { id, kind, walletId, createdAt, readAt, outcome, outcomeBy, outcomeAt } = notice;
  return { id, kind, title, text, path, walletId, createdAt, readAt, outcome, outcomeBy, outcomeAt };
}
