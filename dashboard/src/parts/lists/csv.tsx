import { Button } from '@mantine/core';
import { DownloadIcon } from '../display/icons.js';

/** Downloads a list as a file, which the API streams. */
export function Csv({ href }: { href: string }) {
  return (
    <Button
      component="a"
      href={href}
      download
      variant="default"
      size="xs"
      leftSection={<DownloadIcon size={14} />}
    >
      CSV
    </Button>
  );
}
