import { Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.js';

/** Stands where something is being loaded, as tall as what will come. */
export function Loading({ children }: { children: ReactNode }) {
  return (
    <div role="status">
      <VisuallyHidden>Loading</VisuallyHidden>
      {children}
    </div>
  );
}

/** What is lower is a line or a field. */
const CARD_PX_MIN = 90;

/** Blocks in the place of what is being loaded. */
export function BlocksLoading({ heights }: { heights: readonly number[] }) {
  return (
    <Loading>
      <Stack gap="lg">
        {heights.map((height, i) => (
          <Skeleton key={i} h={height} className={height < CARD_PX_MIN ? '' : 'skeleton-block'} />
        ))}
      </Stack>
    </Loading>
  );
}
