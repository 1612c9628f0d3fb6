import type { Actor } from '../identity/identity.port.js';

export abstract class ActivityLog {
  abstract recordExport(actor: Actor, file: string): Promise<void>;
}
