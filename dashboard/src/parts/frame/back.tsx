import { Anchor } from '@mantine/core';
import { Link } from 'react-router';

/** Leads from a screen to the list that it belongs to. */
export function Back({ to, children }: { to: string; children: string }) {
  return (
    <Anchor component={Link} to={to} size="sm">
      {children}
    </Anchor>
  );
}
