import { Button } from '@mantine/core';
import { DownloadIcon } from '../display/icons.js';
import { Allowed } from '../session/allowed.js';

/** Downloads a list as a file, which the API streams. */
export function Csv({ href }: { href: string }) {
  return (
    <Allowed act="exports.download">
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
    </Allowed>
  );
}
