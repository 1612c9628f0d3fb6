import { Button, FileButton, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { queryKeys } from '../../../api/query-keys.js';
import { addFile, fileAddress, filesOf, type Place, removeFile } from '../../../api/records.js';
import { ApiError } from '../../../api/request.js';
import { ARRIVAL_SECONDS_MAX, type Upload } from '../../../api/upload.js';
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
  const [sending, setSending] = useState<Sending | null>(null);
  const [verdict, setVerdict] = useState('');
  const queryKey = queryKeys.paymentFiles(place.walletId, place.transactionId);
  const files = useQuery({ queryKey, queryFn: () => filesOf(place) });
  const renew = () => client.invalidateQueries({ queryKey });
  const button = useRef<HTMLButtonElement>(null);
  // The button that cancels takes the focus with it.
  useEffect(() => {
    if (verdict && document.activeElement === document.body) button.current?.focus();
  }, [verdict]);
  const cancelling = useRef<AbortController>(null);
  const adding = useMutation({
    mutationFn: async (chosen: readonly File[]) => {
      const { signal } = (cancelling.current = new AbortController());
      setVerdict('');
      let stored = 0;
      try {
        for (const file of chosen) {
          await send(place, file, {
            signal,
            onProgress: (bytes) => setSending({ file, bytes, at: stored + 1, of: chosen.length }),
          });
          stored += 1;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        setSending(null);
        setVerdict(verdictOn(stored, chosen, signal.aborted));
      }
    },
    onSettled: renew,
  });
  const removing = useMutation({
    mutationFn: (id: string) => removeFile(place, id),
    onSuccess: renew,
    onError: refused,
  });
  const add = (chosen: readonly File[]) => {
    if (isAllowed && !adding.isPending && chosen.length > 0) adding.mutate(chosen);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    add([...event.dataTransfer.files]);
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
                    style={{ flex: 'none' }}
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
      {sending && <Progress sending={sending} />}
      <Group gap="xs" mt="xs">
        <FileButton multiple accept={TYPES} onChange={add}>
          {(props) => (
            <Allowed act="payments.annotate">
              <Button size="xs" variant="default" loading={adding.isPending} ref={button} {...props}>
                Add files
              </Button>
            </Allowed>
          )}
        </FileButton>
        {sending ? (
          <Button size="xs" variant="default" onClick={() => cancelling.current?.abort()}>
            Cancel
          </Button>
        ) : (
          <Text size="xs" c="dimmed">
            Images and PDFs of at most 5 MB; or drop them here
          </Text>
        )}
      </Group>
      <Text size="sm" role="status" mt={verdict ? 'xs' : 0}>
        {verdict}
      </Text>
    </section>
  );
}

interface Sending {
  readonly file: File;
  readonly bytes: number;
  readonly at: number;
  readonly of: number;
}

function Progress({ sending: { file, bytes, at, of } }: { sending: Sending }) {
  const share = Math.min(100, Math.floor((bytes / Math.max(1, file.size)) * 100));
  return (
    <Stack gap={6} mt="xs">
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" className="wrap">
          {file.name}
          {of > 1 && `, ${at} of ${of}`}
        </Text>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {share < 100 ? `${share}% of ${sizeInWords(file.size)}` : 'Being stored…'}
        </Text>
      </Group>
      <div
        className="bar"
        role="progressbar"
        aria-label={`Sending ${file.name}`}
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div style={{ width: `${share}%` }} />
      </div>
    </Stack>
  );
}

/** Refuses with what to do what the service would refuse after all of it was sent. */
async function send(place: Place, file: File, { onProgress, signal }: Upload): Promise<void> {
  if (file.size > FILE_BYTES_MAX)
    throw new ApiError(413, 'FILE_TOO_LARGE', `${file.name} is more than 5 MB. Choose a smaller file.`);
  let sent = 0;
  const note = (bytes: number) => {
    sent = Math.min(bytes, file.size);
    onProgress(sent);
  };
  note(0);
  try {
    await addFile(place, file, { signal, onProgress: note });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'REQUEST_TIMEOUT') throw error;
    throw new ApiError(
      error.status,
      'FILE_TOO_SLOW',
      `${file.name} wasn’t stored: only ${sizeInWords(sent)} of ${sizeInWords(file.size)} were sent in ` +
        `${ARRIVAL_SECONDS_MAX} seconds. Use a faster connection, or make the file smaller.`,
    );
  }
}

function verdictOn(stored: number, chosen: readonly File[], isCancelled: boolean): string {
  const [first] = chosen;
  const count = chosen.length === 1 ? '' : ` ${stored} of ${chosen.length} files are stored.`;
  if (isCancelled) return `Cancelled.${count}`;
  if (stored === 1 && chosen.length === 1) return `${first?.name ?? 'The file'} is stored.`;
  return count.trim();
}

function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
