import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/api/operation.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { SearchResponse, presentSearch, SearchQuery, wordsOf } from './search.dto.js';
import { AccountSearchService } from './search.service.js';

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
    errors: ['VALIDATION_ERROR'],
  })
  async find(@Query() query: SearchQuery, @Session() { accountId }: SessionUser): Promise<SearchResponse> {
    const found = await this.search.find(accountId, wordsOf(query), query.limit);
    return { success: true, data: presentSearch(found) };
  }
}
