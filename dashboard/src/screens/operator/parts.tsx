import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Tag } from '../../parts/display/tag.js';
import type { Tone } from '../../look/tone.js';

/** Facts side by side; those that are null are left out. */
export function Traits({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="traits">
      {of
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Facts, with the acts below. */
export function Item({
  title,
  tag,
  children,
  acts,
}: {
  title: ReactNode;
  tag?: { readonly name: string; readonly tone: Tone } | null;
  children: ReactNode;
  acts?: ReactNode;
}) {
  return (
    <div className="operator-item">
      <Group gap="xs">
        <Text fw={600} component="div" className="wrap">
          {title}
        </Text>
        {tag && <Tag tone={tag.tone}>{tag.name}</Tag>}
      </Group>
      {children}
      {acts && <Group gap="xs">{acts}</Group>}
    </div>
  );
}
