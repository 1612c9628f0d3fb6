import { Button, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Page } from '../../api/types.js';
import { grouped } from '../../money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { useAddress } from '../state/use-address.js';

type Changes = Readonly<Record<string, string | null>>;

/** The pages of a list, which the address keeps; stands even for a single page, so that nothing jumps. */
export function Pager({
  of: { page, totalPages, totalCount },
  one,
  many,
  also,
}: {
  of: Page<unknown>['pagination'];
  /** What a row is called, and several of them. */
  one: string;
  many?: string;
  /** What else another page changes in the address. */
  also?: Changes;
}) {
  const at = (to: number): Changes => ({ page: to <= 1 ? null : String(to), ...also });
  return (
    <Pages
      words={pluralize(totalCount, one, many)}
      page={page}
      last={totalPages}
      first={page > 2 ? at(1) : null}
      previous={page > 1 ? at(page - 1) : null}
      next={page < totalPages ? at(page + 1) : null}
      end={page < totalPages - 1 ? at(totalPages) : null}
    />
  );
}

/** Null where there is none; `last`: unknown. */
interface Steps {
  words: string;
  page: number;
  last: number | null;
  first: Changes | null;
  previous: Changes | null;
  next: Changes | null;
  end?: Changes | null;
}

export function Pages({ words, page, last, first, previous, next, end = null }: Steps) {
  const isOnly = previous === null && next === null && page === 1;
  return (
    <Group justify="space-between" px="md" py="sm" gap="xs" mih={57} className="pages">
      <Text size="sm" c="dimmed" className="tabular">
        {words}
      </Text>
      {!isOnly && (
        <Group component="nav" gap="xs" aria-label="Pages">
          {first && <Step to={first}>First</Step>}
          <Step to={previous}>Previous</Step>
          <Text size="sm" c="dimmed" component="span" className="tabular" aria-current="page">
            Page {grouped(page)}
            {last !== null && ` of ${grouped(Math.max(page, last))}`}
          </Text>
          <Step to={next}>Next</Step>
          {end && <Step to={end}>Last</Step>}
        </Group>
      )}
    </Group>
  );
}

function Step({ to, children }: { to: Changes | null; children: string }) {
  const address = useAddress();
  if (!to) {
    return (
      <Button size="xs" variant="default" disabled>
        {children}
      </Button>
    );
  }
  return (
    <Button size="xs" variant="default" component={Link} to={address.to(to)} preventScrollReset>
      {children}
    </Button>
  );
}
