import { Fragment } from 'react';
import { nairaParts } from '../../money/money.js';

interface Props {
  kobo: number;
  bold?: boolean;
  signed?: '+' | '−';
  /** Too long for its line, it wraps behind a comma. Not within a link: its name would be read with gaps. */
  wraps?: boolean;
}

/** An amount, in naira: the sign light, the kobo smaller. */
export function Money({ kobo, bold, signed, wraps }: Props) {
  const { minus, whole, fraction } = nairaParts(kobo);
  return (
    <span className={`money${bold ? ' strong' : ''}${wraps ? ' wraps' : ''}`}>
      {signed}
      {minus}
      <span className="money-sign">₦</span>
      {wraps ? <Wrapping number={whole} /> : whole}
      <span className="money-kobo">{fraction}</span>
    </span>
  );
}

function Wrapping({ number }: { number: string }) {
  return number.split(/(?<=,)/).map((group, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {group}
    </Fragment>
  ));
}
