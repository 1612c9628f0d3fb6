import type { Activity } from '../../api/types.js';
import { differences, valueInWords } from '../../wallet/changes-in-words.js';
import { fieldName } from '../../text/words.js';

interface Names {
  readonly walletName: (id: string) => string | undefined;
  readonly bankName: (code: string) => string;
}

/** Ids that mean nothing to a person; the CSV has them. */
const HIDDEN = new Set(['keyId', 'payeeId', 'invitedBy', 'merchant', 'origin']);
const WALLETS: Readonly<Record<string, string>> = {
  walletId: 'Wallet',
  fromWalletId: 'From',
  toWalletId: 'To',
};
/** Says itself what changed. */
const IS_ALL_SAID = /^wallet\.(opened|suspended|resumed|closed)$/;
const OF_A_WALLET = /^(wallet|key|payee)\./;

/** Before and after of an act: `Role from “viewer” to “developer”`, or what there was of it, `Role “viewer”`. */
export function linesOf(
  { act, subject, before, after }: Activity,
  { walletName, bankName }: Names,
): string[] {
  const [was, is] = IS_ALL_SAID.test(act) ? [{}, {}] : [flat(before), flat(after)];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => !HIDDEN.has(name));
  const lines = fields.flatMap((name) => {
    if (name in was && name in is) return differences({ [name]: was[name] }, { [name]: is[name] });
    const value = is[name] ?? was[name];
    if (value === null || value === undefined || value === false || value === 'enabled') return [];
    const text = typeof value === 'string' ? value : '';
    if (name in WALLETS) return [`${WALLETS[name]} ${walletName(text) ?? text}`];
    if (name === 'bankCode') return [`${fieldName(name)} ${bankName(text)}`];
    return [`${fieldName(name)} ${valueInWords(name, value)}`];
  });
  const name = subject && OF_A_WALLET.test(act) ? walletName(subject) : undefined;
  return [
    ...(name ? [`Wallet ${name}`] : []),
    ...(act === 'export.downloaded' ? [String(subject)] : []),
    ...lines,
  ];
}

/** The limits of a key stand beside its other fields. */
function flat(values: Activity['before']): Record<string, unknown> {
  const { limits, ...others } = values ?? {};
  return typeof limits === 'object' ? { ...others, ...limits } : others;
}
