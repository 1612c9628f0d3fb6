import type { ReactNode } from 'react';

/** Sums of all pages of a list. */
export function Sums({
  parts,
  isBelow = false,
}: {
  parts: readonly (readonly [name: string, value: ReactNode])[];
  /** Stands under the list. */
  isBelow?: boolean;
}) {
  return (
    <dl className={isBelow ? 'sums below' : 'sums'} aria-label="Sums">
      {parts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
