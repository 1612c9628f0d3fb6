import { Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../api/types.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pager } from '../../parts/lists/pager.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useAddress } from '../../parts/state/use-address.js';

/** No event tells what other operators do. */
export const ASK_EVERY_MS = 15_000;

type Keyed = { readonly id: string } | { readonly reference: string };

interface Props<Found extends Page<Keyed>> {
  title: string;
  /** Said when it can't be loaded. */
  what: string;
  one: string;
  empty: string;
  /** Text where the list is empty. */
  about: string;
  aside?: ReactNode;
  queryKey: readonly unknown[];
  read: (page: number) => Promise<Found>;
  draw: (row: Found['data'][number]) => ReactNode;
  /** Stands under the rows. */
  totals?: (found: Found) => ReactNode;
}

/** A list of things with their acts, by pages that the address keeps. */
export function List<Found extends Page<Keyed>>({
  title,
  what,
  one,
  empty,
  about,
  aside,
  queryKey,
  read,
  draw,
  totals,
}: Props<Found>) {
  const address = useAddress();
  const page = address.page();
  const query = useQuery({
    queryKey: [...queryKey, page],
    queryFn: () => read(page),
    refetchInterval: ASK_EVERY_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <Answer of={query} what={what} loading={<BlocksLoading heights={[330]} />}>
        {(found) => (
          <Card title={title} aside={aside} flush>
            {found.data.length === 0 ? (
              <Empty title={empty}>{about}</Empty>
            ) : (
              <>
                <ul className="rows">
                  {found.data.map((row) => (
                    <li key={'id' in row ? row.id : row.reference}>{draw(row)}</li>
                  ))}
                </ul>
                {totals?.(found)}
                <Pager of={found.pagination} one={one} />
              </>
            )}
          </Card>
        )}
      </Answer>
    </Stack>
  );
}
