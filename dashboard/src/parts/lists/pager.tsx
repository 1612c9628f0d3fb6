import '@mantine/core/styles/Pagination.css';
import { Group, Pagination, Text } from '@mantine/core';
import type { Page } from '../../api/types.js';
import { pluralize } from '../../text/pluralize.js';

/** The pages of a list; stands even for a single page, so that nothing jumps. */
export function Pager({
  of,
  onChange,
  one,
  many,
}: {
  of: Page<unknown>['pagination'];
  onChange: (page: number) => void;
  /** What a row is called, and several of them. */
  one: string;
  many?: string;
}) {
  return (
    <Group
      justify="space-between"
      px="md"
      py="sm"
      gap="xs"
      mih={57}
      style={{ borderTop: '1px solid var(--line)' }}
    >
      <Text size="sm" c="dimmed" className="tabular">
        {pluralize(of.totalCount, one, many)}
      </Text>
      {of.totalPages > 1 && (
        <Pagination
          size="sm"
          total={of.totalPages}
          value={of.page}
          onChange={onChange}
          siblings={1}
          boundaries={1}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
        />
      )}
    </Group>
  );
}
