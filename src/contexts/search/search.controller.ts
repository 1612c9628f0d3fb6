import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/api/operation.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import {
  presentSearch,
  RemoveViewRequest,
  SavedViewsResponse,
  SaveViewRequest,
  SearchQuery,
  SearchResponse,
  wordsOf,
} from './search.dto.js';
import { AccountSearchService } from './search.service.js';
import { SavedViewsStore } from './search.store.js';

@ApiTags('search')
@Controller('v1/search')
@Authenticated()
export class AccountSearchController {
  constructor(private readonly search: AccountSearchService) {}

  @Get()
  @StrictQuery(SearchQuery)
  @Can('wallets.read')
  @Operation({
    id: 'search',
    summary: 'Find wallets, payments, keys, payees and members by any words that name them',
    description:
      'The newest of each kind. Payments are found as by search of GET /v1/transactions, which has all of them.',
    answers: SearchResponse,
  })
  async find(@Query() query: SearchQuery, @Session() { accountId }: SessionUser): Promise<SearchResponse> {
    const found = await this.search.find(accountId, wordsOf(query), query.limit);
    return { success: true, data: presentSearch(found) };
  }
}

@ApiTags('search')
@Controller('v1/saved-views')
@Authenticated()
export class SavedViewsController {
  constructor(private readonly views: SavedViewsStore) {}

  @Get()
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listSavedViews',
    summary: 'Read the searches of payments that the signed-in user saved',
    answers: SavedViewsResponse,
  })
  async list(@Session() { userId }: SessionUser): Promise<SavedViewsResponse> {
    return { success: true, data: { views: await this.views.of(userId) } };
  }

  @Post()
  @HttpCode(200)
  @Can('wallets.read')
  @Operation({
    id: 'saveView',
    summary: 'Save a search of payments under a name',
    answers: SavedViewsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async save(@Body() view: SaveViewRequest, @Session() { userId }: SessionUser): Promise<SavedViewsResponse> {
    return { success: true, data: { views: await this.views.save(userId, view) } };
  }

  @Post('remove')
  @HttpCode(200)
  @Can('wallets.read')
  @Operation({
    id: 'removeView',
    summary: 'Remove a saved search of payments',
    description: 'One that is gone stays so.',
    answers: SavedViewsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async remove(
    @Body() { name }: RemoveViewRequest,
    @Session() { userId }: SessionUser,
  ): Promise<SavedViewsResponse> {
    return { success: true, data: { views: await this.views.remove(userId, name) } };
  }
}
