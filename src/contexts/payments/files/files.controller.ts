import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inPieces } from '../../../platform/http/api/csv.js';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { DoneResponse } from '../../../platform/http/api/response-properties.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { bytesOfFile, TakesFile } from '../../../platform/http/server/file-body.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { TransactionIdParam } from '../payments.dto.js';
import { dispositionOf } from './files.domain.js';
import { FileQuery, FileResponse, FilesResponse, presentFile } from './files.dto.js';
import { FilesService } from './files.service.js';

const NOT_FOUND = ['WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'] as const;

const FileIdParam = () =>
  ApiParam({ name: 'fileId', description: 'The id of a file.', schema: { type: 'string', format: 'uuid' } });

/** Nothing in it runs, whatever a browser takes it for. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private',
};

@ApiTags('payments')
@WalletIdParam()
@TransactionIdParam()
@Controller('v1/wallets/:walletId/transactions/:transactionId/files')
@Authenticated()
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Get()
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listFiles',
    summary: 'List the receipt files of an attempt to pay',
    answers: FilesResponse,
    errors: [...NOT_FOUND],
  })
  async list(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<FilesResponse> {
    const files = await this.files.list(walletId, transactionId, accountId);
    return { success: true, data: files.map(presentFile) };
  }

  @Post()
  @HttpCode(201)
  @TakesFile()
  @StrictQuery(FileQuery)
  @Can('payments.annotate')
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @Operation({
    id: 'addFile',
    summary: 'Add a receipt file to an attempt to pay',
    description:
      'The body is the bytes of the file: a PNG, JPEG, WebP or GIF image or a PDF of at most 5 MiB, which is told by its ' +
      'content. The `Content-Type` is `application/octet-stream` or that of the file.',
    status: 201,
    answers: FileResponse,
    errors: [
      ...NOT_FOUND,
      'FILE_LIMIT_REACHED',
      'FILE_STORAGE_FULL',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'RATE_LIMITED',
      'OVERLOADED',
    ],
  })
  async add(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Query() { name }: FileQuery,
    @Session() session: SessionUser,
    @Req() request: FastifyRequest,
  ): Promise<FileResponse> {
    const read = (bytesMax: number) => bytesOfFile(request, bytesMax);
    const file = await this.files.add(walletId, transactionId, session, name, read);
    return { success: true, data: presentFile(file) };
  }

  @Get(':fileId')
  @FileIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'downloadFile',
    summary: 'Download a receipt file',
    description: 'As an attachment, never to be shown in place.',
    answers: 'file',
    errors: [...NOT_FOUND, 'FILE_NOT_FOUND'],
  })
  async download(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Param('fileId') fileId: string,
    @Session() { accountId }: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { file, pieces } = await this.files.download(walletId, transactionId, accountId, fileId);
    void reply.headers(HEADERS);
    const { name, type, size: length } = file;
    return new StreamableFile(inPieces(pieces), { type, length, disposition: dispositionOf(name) });
  }

  @Delete(':fileId')
  @FileIdParam()
  @Can('payments.annotate')
  @Operation({
    id: 'removeFile',
    summary: 'Remove a receipt file',
    answers: DoneResponse,
    errors: [...NOT_FOUND, 'FILE_NOT_FOUND'],
  })
  async remove(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Param('fileId') fileId: string,
    @Session() session: SessionUser,
  ): Promise<DoneResponse> {
    await this.files.remove(walletId, transactionId, session, fileId);
    return { success: true };
  }
}
