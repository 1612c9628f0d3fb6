import { Button, FileButton, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { queryKeys } from '../../../api/query-keys.js';
import { addFile, fileAddress, filesOf, type Place, removeFile } from '../../../api/records.js';
import { ApiError } from '../../../api/request.js';
import { Moment } from '../../../parts/display/moment.js';
import { Answer } from '../../../parts/loading/answer.js';
import { Refused } from '../../../parts/loading/failure.js';
import { Skeleton } from '../../../parts/loading/skeleton.js';
import { Allowed } from '../../../parts/session/allowed.js';
import { refused } from '../../../parts/toasts/toasts.js';
import { useMay } from '../../../session/session.js';

const FILE_BYTES_MAX = 5 * 1024 * 1024;
const TYPES = 'image/png,image/jpeg,image/webp,image/gif,application/pdf';

export function Files({ place }: { place: Place }) {
  const client = useQueryClient();
  const isAllowed = useMay('payments.annotate');
  const [sent, setSent] = useState<string | null>(null);
  const queryKey = queryKeys.paymentFiles(place.walletId, place.transactionId);
  const files = useQuery({ queryKey, queryFn: () => filesOf(place) });
  const renew = () => client.invalidateQueries({ queryKey });
  const adding = useMutation({
    mutationFn: async (chosen: readonly File[]) => {
      for (const [i, file] of chosen.entries()) {
        setSent(chosen.length > 1 ? `${file.name}, ${i + 1} of ${chosen.length}` : file.name);
        if (file.size > FILE_BYTES_MAX)
          throw new ApiError(413, 'FILE_TOO_LARGE', `${file.name} is more than 5 MB. Choose a smaller file.`);
        await addFile(place, file);
      }
    },
    onSettled: () => {
      setSent(null);
      return renew();
    },
  });
  const removing = useMutation({
    mutationFn: (id: string) => removeFile(place, id),
    onSuccess: renew,
    onError: refused,
  });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (isAllowed && !adding.isPending) adding.mutate([...event.dataTransfer.files]);
  };
  return (
    <section aria-label="Files" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <Title order={3} fz={14} mb={4}>
        Files
      </Title>
      <Answer of={files} what="Its files" loading={<Skeleton h={30} />}>
        {(all) => (
          <Stack gap="xs" mb="xs">
            {all.map((file) => (
              <Group key={file.id} gap="xs" justify="space-between" wrap="nowrap">
                <Text size="sm" component="div" className="wrap">
                  <a href={fileAddress(place, file.id)} download>
                    {file.name}
                  </a>
                  <Text size="xs" c="dimmed">
                    {sizeInWords(file.size)} · {file.addedBy ?? 'A member'} · <Moment at={file.createdAt} />
                  </Text>
                </Text>
                <Allowed act="payments.annotate">
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove ${file.name}`}
                    onClick={() => removing.mutate(file.id)}
                  >
                    Remove
                  </Button>
                </Allowed>
              </Group>
            ))}
          </Stack>
        )}
      </Answer>
      <Refused error={adding.error} />
      <Group gap="xs" mt="xs">
        <FileButton multiple accept={TYPES} onChange={(chosen) => adding.mutate(chosen)}>
          {(props) => (
            <Allowed act="payments.annotate">
              <Button size="xs" variant="default" loading={adding.isPending} {...props}>
                Add files
              </Button>
            </Allowed>
          )}
        </FileButton>
        <Text size="xs" c="dimmed" role="status" className="wrap">
          {sent === null ? 'Images and PDFs of at most 5 MB; or drop them here' : `Sending ${sent}…`}
        </Text>
      </Group>
    </section>
  );
}

function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
