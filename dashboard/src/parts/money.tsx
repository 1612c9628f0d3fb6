import { naira } from '../money.js';

/** An amount, in naira: the sign light, the kobo smaller. */
export function Money({ kobo, bold, signed }: { kobo: number; bold?: boolean; signed?: '+' | '−' }) {
  const [, minus = '', whole = '', rest = ''] = /^(−?)₦([\d,]+)(\.\d\d)$/.exec(naira(kobo)) ?? [];
  return (
    <span className={bold ? 'money strong' : 'money'}>
      {signed}
      {minus}
      <span className="money-sign">₦</span>
      {whole}
      <span className="money-kobo">{rest}</span>
    </span>
  );
}
