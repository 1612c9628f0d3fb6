import type { WalletKey } from '../../api/types.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { MaybeCreated } from '../../parts/forms/maybe-created.js';
import { Moment } from '../../parts/display/moment.js';

/** `again` is the button that creates one all the same. */
export function KeyAlike({ apiKey, again }: { apiKey: WalletKey; again: string }) {
  const { keyPrefix, createdAt } = apiKey;
  return (
    <MaybeCreated>
      There is an active key named “{nameOfKey(apiKey)}”, <span className="mono">{keyPrefix}…</span>, created{' '}
      <Moment at={createdAt} />. If it is this one, it can’t be shown in full any more: press “{again}” again
      for another one, and revoke this one afterwards.
    </MaybeCreated>
  );
}
