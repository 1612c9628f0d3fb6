import { Group, Text } from '@mantine/core';
import { NAME } from '../../look/brand.js';

/** The mark and the name. */
export function Logo({ size = 26, color }: { size?: number; color?: string }) {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/favicon.svg" width={size} height={size} alt="" />
      <Text
        className="logo-name"
        fw={600}
        fz={size > 28 ? 'lg' : 'md'}
        lts="-0.01em"
        {...(color && { c: color })}
      >
        {NAME}
      </Text>
    </Group>
  );
}
