import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { DoneResponse } from '../../../platform/http/api/response-properties.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { TransactionIdParam } from '../payments.dto.js';
import { NoteRequest, NoteResponse, NotesResponse, presentNote } from './notes.dto.js';
import { NotesService } from './notes.service.js';

const NOT_FOUND = ['WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'] as const;

@ApiTags('payments')
@WalletIdParam()
@TransactionIdParam()
@Controller('v1/wallets/:walletId/transactions/:transactionId/notes')
@Authenticated()
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  @Get()
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listNotes',
    summary: 'List the notes of an attempt to pay',
    answers: NotesResponse,
    errors: [...NOT_FOUND],
  })
  async list(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<NotesResponse> {
    const notes = await this.notes.list(walletId, transactionId, accountId);
    return { success: true, data: notes.map(presentNote) };
  }

  @Post()
  @HttpCode(201)
  @Can('payments.annotate')
  @Operation({
    id: 'addNote',
    summary: 'Write a note on an attempt to pay',
    status: 201,
    answers: NoteResponse,
    errors: ['VALIDATION_ERROR', ...NOT_FOUND, 'NOTE_LIMIT_REACHED'],
  })
  async add(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Body() { text }: NoteRequest,
    @Session() session: SessionUser,
  ): Promise<NoteResponse> {
    const note = await this.notes.add(walletId, transactionId, session, text);
    return { success: true, data: presentNote(note) };
  }

  @Delete(':noteId')
  @ApiParam({ name: 'noteId', description: 'The id of a note.', schema: { type: 'string', format: 'uuid' } })
  @Can('payments.annotate')
  @Operation({
    id: 'removeNote',
    summary: 'Remove a note of your own',
    answers: DoneResponse,
    errors: [...NOT_FOUND, 'NOTE_NOT_FOUND'],
  })
  async remove(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Param('noteId') noteId: string,
    @Session() session: SessionUser,
  ): Promise<DoneResponse> {
    await this.notes.remove(walletId, transactionId, session, noteId);
    return { success: true };
  }
}
