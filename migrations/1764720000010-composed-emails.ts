import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Brings e-mails of users into NFC, the form in which they are sought. One stays as it is where another user has the
 * composed form. A database in another encoding than UTF-8 can't compose.
 */
export class ComposedEmails1764720000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [database] = (await runner.query('SHOW server_encoding')) as { server_encoding: string }[];
    if (database?.server_encoding !== 'UTF8') return;
    await runner.query(`
      UPDATE users u SET email = c.composed
        FROM (SELECT DISTINCT ON (composed) id, normalize(email, NFC) AS composed FROM users
               WHERE email IS NOT NFC NORMALIZED ORDER BY composed, id) c
       WHERE u.id = c.id AND NOT EXISTS (SELECT FROM users WHERE email = c.composed)`);
  }

  async down(): Promise<void> {
    // The composed form is a valid e-mail to the older version, too.
  }
}
