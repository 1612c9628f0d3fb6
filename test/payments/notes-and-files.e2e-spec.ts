import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import { exchange, hang, parseAnswer } from '../support/raw-http.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

interface Note {
  readonly id: string;
  readonly text: string;
  readonly authorId: string;
  readonly author: string;
  readonly createdAt: string;
}
interface File {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly addedBy: string;
}

const MIB = 1024 * 1024;
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
const png = (size: number) => Buffer.concat([PNG.subarray(0, 8), randomBytes(size - 8)]);

let mails: MailServer;
let service: TestService;
let wallet: CreatedWallet;
let accountant: TestUser;
let viewer: TestUser;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: { ...mailingTo(mails), ACCOUNT_FILES_MIB_MAX: '12' } });
  await service.app.listen(0, '127.0.0.1');
  wallet = await service.createWallet(await businessOwner(service));
  await service.topUp(wallet.id, 1_000_000);
  accountant = await newMember(service, mails, wallet.owner, 'accountant');
  viewer = await newMember(service, mails, wallet.owner, 'viewer');
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

async function paid(by = wallet): Promise<string> {
  const { body } = expectStatus(201, await service.pay(by.key));
  return `/v1/wallets/${by.id}/transactions/${body.data.transaction.id}`;
}
const codeOf = ({ status, text }: Answer<unknown>) => [status, /"code":"(\w+)"/.exec(text)?.[1]];
const linesOf = async (path: string) =>
  (
    await service.query<{ act: string }>('SELECT act FROM account_activity WHERE subject = $1 ORDER BY id', [
      path.split('/').at(-1),
    ])
  ).map(({ act }) => act);

describe('notes on a payment', () => {
  const write = (path: string, text: unknown, { token } = wallet.owner) =>
    service.post<{ data: Note }>(`${path}/notes`, { token, body: { text } });
  const remove = (path: string, id: string, { token } = wallet.owner) =>
    service.call('DELETE', `${path}/notes/${id}`, { token });
  const notesOf = async (path: string, { token } = wallet.owner) =>
    expectStatus(200, await service.get<{ data: Note[] }>(`${path}/notes`, { token })).body.data;

  it('are a thread of who said what and when, removed by their authors alone, each with a line', async () => {
    const path = await paid();
    expect(await notesOf(path)).toEqual([]);
    const first = expectStatus(201, await write(path, '  Who ordered this?\nI did not. ')).body.data;
    const second = expectStatus(201, await write(path, 'I did.', accountant)).body.data;
    expect(first).toMatchObject({ text: 'Who ordered this?\nI did not.', authorId: wallet.owner.id });
    expect(await notesOf(path, viewer)).toEqual([first, second]);
    expect(second).toMatchObject({ authorId: accountant.id, author: accountant.email });
    expect(codeOf(await remove(path, second.id))).toEqual([403, 'FORBIDDEN']);
    expect(codeOf(await remove(path, randomUUID()))).toEqual([404, 'NOTE_NOT_FOUND']);
    expect(codeOf(await remove(path, 'x'))).toEqual([404, 'NOTE_NOT_FOUND']);
    expect(codeOf(await remove(await paid(), first.id))).toEqual([404, 'NOTE_NOT_FOUND']);
    expectStatus(200, await remove(path, first.id));
    expect(codeOf(await remove(path, first.id))).toEqual([404, 'NOTE_NOT_FOUND']);
    expect(await notesOf(path)).toEqual([second]);
    expect(await linesOf(path)).toEqual(['payment.note-added', 'payment.note-added', 'payment.note-removed']);
  });

  it('have 1 to 2,000 characters, line breaks among them and nothing that hides or turns text', async () => {
    const path = await paid();
    expectStatus(201, await write(path, '\u{1F95B}'.repeat(2_000)));
    for (const text of [
      '\u{1F95B}'.repeat(2_001),
      '',
      ' \n',
      '\u200b',
      'a\u202eb',
      'a\u0000b',
      'a\u001bb',
      1,
      null,
    ])
      expect([text, (await write(path, text)).status]).toEqual([text, 400]);
  });

  it('are 100 at most, also where many write at once', async () => {
    const path = await paid();
    const { body } = expectStatus(201, await write(path, 'Note'));
    await service.query(
      `INSERT INTO payment_notes SELECT (jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid()))).*
         FROM payment_notes n, generate_series(1, 89) WHERE id = $1`,
      [body.data.id],
    );
    // Many more wait longer for their turn on a slow machine than a request may.
    const answers = await Promise.all(Array.from({ length: 13 }, (_, n) => write(path, `Note ${n}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map((answer) => codeOf(answer)[1]))).toEqual(new Set(['NOTE_LIMIT_REACHED']));
    const notes = await notesOf(path);
    expect(notes).toHaveLength(100);
    expectStatus(200, await remove(path, notes[0]!.id));
    expectStatus(201, await write(path, 'One more'));
  });

  it('are not written by viewers', async () => {
    expect(codeOf(await write(await paid(), 'x', viewer))).toEqual([403, 'FORBIDDEN']);
  });
});

describe('files of a payment', () => {
  const OCTETS = { 'content-type': 'application/octet-stream' };
  const add = (
    path: string,
    body: Buffer,
    name = 'receipt.png',
    { token } = wallet.owner,
    headers = OCTETS,
  ) =>
    service.post<{ data: File }>(`${path}/files?name=${encodeURIComponent(name)}`, { token, body, headers });
  const added = async (...given: Parameters<typeof add>) => expectStatus(201, await add(...given)).body.data;
  const filesOf = async (path: string) =>
    expectStatus(200, await service.get<{ data: File[] }>(`${path}/files`, { token: wallet.owner.token }))
      .body.data;
  const remove = (path: string, id: string) =>
    service.call('DELETE', `${path}/files/${id}`, { token: wallet.owner.token });
  const download = (path: string, id: string, token = wallet.owner.token) =>
    service.app.inject({
      method: 'GET',
      url: `${path}/files/${id}`,
      headers: { authorization: `Bearer ${token}` },
    });
  const port = () => (service.app.getHttpServer().address() as AddressInfo).port;
  const head = (path: string, more: string, token = wallet.owner.token) =>
    `POST ${path}/files?name=a.png HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/octet-stream\r\n${more}\r\n\r\n`;

  it('come back byte by byte, as attachments in which nothing runs', async () => {
    const path = await paid();
    const bytes = png(600_001);
    const file = await added(path, bytes, 'Receipt of Ada.png', accountant);
    expect(file).toMatchObject({
      ...{ name: 'Receipt of Ada.png', type: 'image/png', size: 600_001 },
      addedBy: accountant.email,
    });
    expect(await filesOf(path)).toEqual([file]);
    const answer = await download(path, file.id, viewer.token);
    expect([answer.statusCode, answer.rawPayload.equals(bytes)]).toEqual([200, true]);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '600001',
      'content-disposition': `attachment; filename="Receipt of Ada.png"; filename*=UTF-8''Receipt%20of%20Ada.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private',
    });
    expectStatus(200, await remove(path, file.id));
    expect((await download(path, file.id)).statusCode).toBe(404);
    expect(codeOf(await remove(path, file.id))).toEqual([404, 'FILE_NOT_FOUND']);
    expect(await filesOf(path)).toEqual([]);
    expect(await linesOf(path)).toEqual(['payment.file-added', 'payment.file-removed']);
  });

  it('are told by their content, not by what the client says', async () => {
    const path = await paid();
    const pdf = await added(path, Buffer.from('%PDF-1.7'), 'page.html', wallet.owner, {
      'content-type': 'image/png',
    });
    expect(pdf).toMatchObject({ name: 'page.html.pdf', type: 'application/pdf' });
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    for (const bytes of [svg, PNG.subarray(0, 7), Buffer.from('<html></html>'), Buffer.from('PK\x03\x04')])
      expect(codeOf(await add(path, bytes, 'x.png'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x'])
      expect([
        type,
        ...codeOf(await add(path, PNG, 'x.png', wallet.owner, { 'content-type': type })),
      ]).toEqual([
        type,
        expect.any(Number),
        expect.stringMatching(/UNSUPPORTED_MEDIA_TYPE|VALIDATION_ERROR/),
      ]);
    expect(codeOf(await add(path, Buffer.alloc(0)))).toEqual([400, 'VALIDATION_ERROR']);
    expect(await filesOf(path)).toHaveLength(1);
  });

  it('have harmless names, whatever they were called', async () => {
    const path = await paid();
    const names = [
      '../../etc/passwd',
      'a"; filename="b.html',
      'a\r\nSet-Cookie: x=1\r\n\r\nb',
      'fdp\u202egnp.exe',
      'Ọ̀fà.png',
    ];
    for (const name of names) {
      const file = await added(path, PNG, name);
      const { headers } = await download(path, file.id);
      expect(file.name).toMatch(/^[^/\\"\p{Cc}\p{Cf}]+\.png$/u);
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['content-disposition']).toMatch(
        /^attachment; filename="[\w .()-]+\.png"; filename\*=UTF-8''[\w.~%-]+\.png$/,
      );
    }
  });

  it('have 5 MiB at most, 64 KiB stays the most of any other body', async () => {
    const path = await paid();
    const whole = await added(path, png(5 * MIB));
    expect((await download(path, whole.id)).rawPayload).toHaveLength(5 * MIB);
    expectStatus(200, await remove(path, whole.id));
    expect(codeOf(await add(path, png(5 * MIB + 1)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const chunk = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`;
    const chunked = await exchange(
      port(),
      `${head(path, 'Transfer-Encoding: chunked\r\nConnection: close')}${chunk.repeat(6)}0\r\n\r\n`,
    );
    expect(parseAnswer(chunked).status).toBe(413);
    const note = await service.post(`${path}/notes`, {
      token: wallet.owner.token,
      body: { text: 'x', more: 'x'.repeat(64 * 1024) },
    });
    expect(codeOf(note)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const odd = await service.post(`${path}/notes`, {
      token: wallet.owner.token,
      ...{ body: png(MIB), headers: { 'content-type': 'application/x-file-body' } },
    });
    expect(odd.status).toBe(415);
    expect(await filesOf(path)).toEqual([]);
  });

  it('that end early are none, and those of strangers are not read', async () => {
    const path = await paid();
    const cut = await hang(port(), `${head(path, 'Content-Length: 1000')}${PNG.toString('latin1')}`);
    cut.socket.end();
    expect(await cut.closed).not.toMatch(/^HTTP\/1.1 20/);
    const stranger = await hang(port(), head(path, 'Content-Length: 5000000', 'x'));
    let received = '';
    stranger.socket.on('data', (data) => (received += String(data)));
    await until(() => Promise.resolve(received.includes('401')));
    stranger.socket.destroy();
    expect(await filesOf(path)).toEqual([]);
  });

  it('arrive two at a time of an account, and its third is told to wait', async () => {
    const path = await paid();
    const begun = await Promise.all([1, 2, 3].map(() => hang(port(), head(path, 'Content-Length: 12'))));
    const isAnswered = ({ socket }: (typeof begun)[0]) => socket.bytesRead > 0;
    await until(() => Promise.resolve(begun.filter(isAnswered).length === 1));
    const slow = begun.filter((each) => !isAnswered(each));
    const refused = await add(path, PNG);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
    const others = await service.fundedWallet(1_000);
    expectStatus(201, await add(await paid(others), PNG, 'x.png', others.owner));
    const before = (await filesOf(path)).length;
    for (const { socket } of slow) socket.write(PNG);
    await until(async () => (await filesOf(path)).length === before + 2);
    for (const { socket } of begun) socket.destroy();
    expectStatus(201, await add(path, PNG));
  });

  it('are two at a time of an account until they are stored, too', async () => {
    const path = await paid();
    await added(path, PNG);
    const storing = new pg.Client({ connectionString: service.databaseUrl });
    await storing.connect();
    try {
      await storing.query('BEGIN');
      await storing.query('SELECT FROM payment_file_totals WHERE account_id = $1 FOR UPDATE', [
        wallet.owner.id,
      ]);
      const two = [add(path, PNG), add(path, PNG)];
      await until(async () => {
        const { rows } = await storing.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length === 2;
      });
      expect(codeOf(await add(path, PNG))).toEqual([429, 'RATE_LIMITED']);
      await storing.query('COMMIT');
      for (const answer of await Promise.all(two)) expectStatus(201, answer);
    } finally {
      await storing.end();
    }
    expectStatus(201, await add(path, PNG));
  });

  it('are ten a payment, and take what an account may, at, below and above', async () => {
    const owner = await service.fundedWallet(10_000);
    const path = await paid(owner);
    const by = owner.owner;
    const listed = async () =>
      (await service.get<{ data: File[] }>(`${path}/files`, { token: by.token })).body.data;
    for (let n = 0; n < 10; n += 1) await added(path, PNG, `${n}.png`, by);
    expect(codeOf(await add(path, PNG, 'x.png', by))).toEqual([409, 'FILE_LIMIT_REACHED']);
    for (const { id } of await listed())
      expectStatus(200, await service.call('DELETE', `${path}/files/${id}`, { token: by.token }));
    for (const size of [5 * MIB, 5 * MIB, 2 * MIB - 9]) await added(path, png(size), 'x.png', by);
    expect(codeOf(await add(path, png(10), 'x.png', by))).toEqual([409, 'FILE_STORAGE_FULL']);
    await added(path, png(9), 'x.png', by);
    expect(codeOf(await add(path, png(9), 'x.png', by))).toEqual([409, 'FILE_STORAGE_FULL']);
    const [first] = await listed();
    expectStatus(200, await service.call('DELETE', `${path}/files/${first!.id}`, { token: by.token }));
    await added(path, png(9), 'x.png', by);
  });

  it('are added and removed by owners, approvers and accountants alone', async () => {
    const path = await paid();
    expect(codeOf(await add(path, PNG, 'x.png', viewer))).toEqual([403, 'FORBIDDEN']);
    const { id } = await added(path, PNG);
    const removed = await service.call('DELETE', `${path}/files/${id}`, { token: viewer.token });
    expect(codeOf(removed)).toEqual([403, 'FORBIDDEN']);
  });
});
