import { Fragment } from 'react';
import { naira } from '../money.js';

/** An amount, in naira: the sign light, the kobo smaller. Where it may wrap, it does so behind a comma. */
export function Money({ kobo, bold, signed }: { kobo: number; bold?: boolean; signed?: '+' | '−' }) {
  const [, minus = '', whole = '', rest = ''] = /^(−?)₦([\d,]+)(\.\d\d)$/.exec(naira(kobo)) ?? [];
  return (
    <span className={bold ? 'money strong' : 'money'}>
      {signed}
      {minus}
      <span className="money-sign">₦</span>
      {whole.split(/(?<=,)/).map((group, i) => (
        <Fragment key={i}>
          {i > 0 && <wbr />}
          {group}
        </Fragment>
      ))}
      <span className="money-kobo">{rest}</span>
    </span>
  );
}
