import { ApiField, BooleanField, Month, Optional, Uuid } from '../../platform/http/api/fields.js';
import { PageOf } from '../../platform/http/api/pagination.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../platform/http/api/response-properties.js';
import { STATEMENT_ROWS_MAX, STATEMENT_STATUSES, type StatementStatus } from './statements.domain.js';
import type { NamedStatement } from './statements.service.js';

export class StatementRequest {
  @ApiField('The month, from 2000 on.', '2026-11')
  @Month()
  month: string;

  @Optional()
  @ApiField('The wallet; absent or null: all wallets.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f')
  @Uuid()
  walletId?: string | null;
}

export class StatementMailRequest {
  @ApiField('Mail the statement of all wallets for the last month on the first.', true)
  @BooleanField()
  mail: boolean;
}

class StatementMailView {
  @ApiBooleanProperty('It is mailed to you on the first of each month.', true)
  mail: boolean;

  @ApiBooleanProperty('This service sends e-mail.', true)
  mailAvailable: boolean;
}

export class StatementMailResponse extends Success(StatementMailView) {}

class StatementFigures {
  @ApiKoboProperty('The balance at the begin.', 100_000)
  opening: number;

  @ApiKoboProperty('What came in, transfers from own wallets included.', 50_000)
  received: number;

  @ApiKoboProperty('What went out, transfers to own wallets included.', 40_000)
  paidOut: number;

  @ApiKoboProperty('What was given back after it went out.', 0)
  refunded: number;

  @ApiKoboProperty('The balance at the end: opening + received - paidOut + refunded.', 110_000)
  closing: number;
}

class StatementFileView {
  @ApiIntegerProperty('Bytes.', 48_213, { minimum: 1 })
  bytes: number;

  @ApiTextProperty(
    'SHA-256 of the file, in hex.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  )
  sha256: string;
}

class StatementFiles {
  @ApiObjectProperty(StatementFileView, 'As PDF.')
  pdf: StatementFileView;

  @ApiObjectProperty(StatementFileView, 'As CSV.')
  csv: StatementFileView;
}

export class StatementView {
  @ApiIdProperty('The statement.')
  id: string;

  @ApiIdProperty('The wallet; null: all wallets.', OR_NULL)
  walletId: string | null;

  @ApiTextProperty('What the wallet is called now; null: all wallets.', 'Research agent', OR_NULL)
  walletName: string | null;

  @ApiTextProperty('The month.', '2026-11')
  month: string;

  @ApiTextProperty('In which it begins and ends at midnight.', 'Africa/Lagos')
  timeZone: string;

  @ApiTimeProperty('The begin, inclusive.')
  from: Date;

  @ApiTimeProperty('The end, exclusive; of a month that is not over, when it was asked for.')
  to: Date;

  @ApiBooleanProperty('Whether the month was over. Only then it is signed.', true)
  isFinal: boolean;

  @ApiIntegerProperty('1, 2, 3 … of the same month: a later one replaces those that are not final.', 1, {
    minimum: 1,
  })
  version: number;

  @ApiEnumProperty(STATEMENT_STATUSES, 'How far it is.')
  status: StatementStatus;

  @ApiIntegerProperty(
    `How many entries it has, at most ${STATEMENT_ROWS_MAX}; null before they are counted.`,
    120,
    {
      minimum: 0,
      ...OR_NULL,
    },
  )
  rows: number | null;

  @ApiIntegerProperty('How many of them are written.', 120, { minimum: 0 })
  rowsDone: number;

  @ApiObjectProperty(StatementFigures, 'Null until it is done.', OR_NULL)
  figures: StatementFigures | null;

  @ApiObjectProperty(StatementFiles, 'Null until it is done.', OR_NULL)
  files: StatementFiles | null;

  @ApiTextProperty(
    'A compact JWS (EdDSA, typ `account-statement+jwt`) under a key of `/.well-known/jwks.json`: the figures and the ' +
      'SHA-256 of both files. Null unless it is final and done.',
    'eyJhbGciOiJFZERTQSJ9.eyJtb250aCI6IjIwMjYtMTEifQ.c2lnbmF0dXJl',
    OR_NULL,
  )
  signature: string | null;

  @ApiTextProperty('Why it failed; null: it did not.', 'This month has 200,001 entries.', OR_NULL)
  problem: string | null;

  @ApiTimeProperty('When it was asked for.')
  createdAt: Date;

  @ApiTimeProperty('When it was done, or failed.', OR_NULL)
  endedAt: Date | null;
}

export class StatementResponse extends Success(StatementView) {}
export class StatementsResponse extends PageOf(StatementView) {}

export function presentStatement(statement: NamedStatement): StatementView {
  const { accountId, scopeId, startsAt, endsAt } = statement;
  const { opening, received, paidOut, refunded, closing } = statement;
  const { pdfBytes, pdfSha256, csvBytes, csvSha256 } = statement;
  const { id, walletName, month, timeZone, isFinal, version, status, rows, rowsDone } = statement;
  const { signature, problem, createdAt, endedAt } = statement;
  const isDone = status === 'done';
  return {
    id,
    walletId: scopeId === accountId ? null : scopeId,
    walletName,
    month,
    timeZone,
    from: startsAt,
    to: endsAt,
    isFinal,
    version,
    status,
    rows,
    rowsDone,
    figures: isDone ? ({ opening, received, paidOut, refunded, closing } as StatementFigures) : null,
    files: isDone
      ? ({
          pdf: { bytes: pdfBytes, sha256: pdfSha256 },
          csv: { bytes: csvBytes, sha256: csvSha256 },
        } as StatementFiles)
      : null,
    signature,
    problem,
    createdAt,
    endedAt,
  };
}
