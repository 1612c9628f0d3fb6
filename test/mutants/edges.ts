import type { Mutant } from './mutants.ts';

const CONTEXTS = 'src/contexts';
const DELIVERIES = `${CONTEXTS}/notifications/deliveries`;

/** Faults beside the payment path: what subscribers are sent, streams, resets of passwords and settings. */
export const EDGES: readonly Mutant[] = (
  [
    {
      name: 'attempts that can not be put on record keep their places for ever',
      file: `${DELIVERIES}/dispatcher.ts`,
      find: 'this.log.error(`${batch.length} attempts could not be recorded: ${String(error)}`);',
      replace: 'throw error;',
      tests: [`${DELIVERIES}/dispatcher`],
      only: 'ends no loop where attempts',
    },
    {
      name: 'a delivery that is being sent is sent again when it is replayed',
      file: `${DELIVERIES}/deliveries.store.ts`,
      find: 'd.endpoint_id = $1 AND d.id = $2 AND d.claim IS NULL',
      replace: 'd.endpoint_id = $1 AND d.id = $2',
      tests: ['test/webhook-claims'],
      only: 'is left to who sends it',
    },
    {
      name: 'a delivery that is being sent is sent again when all that failed are recovered',
      file: `${DELIVERIES}/deliveries.store.ts`,
      find: 'd.id > $3 AND d.claim IS NULL AND NOT d.is_test',
      replace: 'd.id > $3 AND NOT d.is_test',
      tests: ['test/webhook-claims'],
      only: 'is left to who sends it',
    },
    {
      name: 'of two rotations of a secret at once one is lost',
      file: `${CONTEXTS}/notifications/endpoints/endpoints.service.ts`,
      find: 'const endpoint = await this.store.requireLocked(id, userId, tx);\n      const now',
      replace: 'const endpoint = await this.store.require(id, userId, tx);\n      const now',
      tests: ['test/notifications-endpoints'],
      only: 'of two rotations none is lost',
    },
    {
      name: 'a stream that could not begin keeps its place',
      file: `${CONTEXTS}/live-updates/live-updates.service.ts`,
      find: 'stream.end();\n      throw error;',
      replace: 'throw error;',
      tests: ['test/live-updates.e2e'],
      only: 'could not begin takes no place',
    },
    {
      name: 'one address has mail sent to as many people as it likes',
      file: `${CONTEXTS}/identity/login-limits.ts`,
      find: 'await new Tries().count(this.resetsByAddress, keyOf(clientNetwork(address)));',
      replace: '',
      tests: ['test/account.e2e'],
      only: 'thirty times an hour from one address',
    },
    {
      name: 'the secret of webhooks gives way to the key of Kora',
      file: 'src/platform/config.ts',
      find: 'config.WEBHOOK_SECRET ??= config.KORA_SECRET_KEY',
      replace: 'config.WEBHOOK_SECRET = config.KORA_SECRET_KEY',
      tests: ['src/platform/config'],
      only: 'has webhooks of Kora signed',
    },
  ] as const
).map((mutant) => ({ group: 'edges', ...mutant }));
