import { Text } from '@mantine/core';
import { naira } from '../money.js';

/** An amount, in naira. */
export function Money({ kobo, bold }: { kobo: number; bold?: boolean }) {
  return (
    <Text span inherit className="money" {...(bold && { fw: 600 })}>
      {naira(kobo)}
    </Text>
  );
}
