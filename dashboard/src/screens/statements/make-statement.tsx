import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { bookkeepingCsv } from '../../api/statements.js';
import { Card } from '../../parts/display/card.js';
import { DownloadIcon } from '../../parts/display/icons.js';
import { Allowed } from '../../parts/session/allowed.js';
import { Refused } from '../../parts/loading/failure.js';
import { monthInWords, monthsUntil } from './months.js';
import { useMaking } from './use-making.js';

const ALL = 'all';

export function MakeStatement({ zone }: { zone: string }) {
  const months = monthsUntil(new Date(), zone);
  const [current, last] = months;
  const [month, setMonth] = useState(last ?? null);
  const [scope, setScope] = useState<string | null>(ALL);
  const { data: wallets = [] } = useQuery(walletNamesQuery);
  const making = useMaking();
  return (
    <Card title="Create a statement">
      <Stack gap="sm">
        <div className="statement-form">
          <Select
            label="Month"
            searchable
            allowDeselect={false}
            nothingFoundMessage="No such month"
            data={months.map((value) => ({
              value,
              label: value === current ? `${monthInWords(value)}, so far` : monthInWords(value),
            }))}
            value={month}
            onChange={setMonth}
          />
          <Select
            label="Wallets"
            searchable
            allowDeselect={false}
            nothingFoundMessage="No such wallet"
            data={[
              { value: ALL, label: 'All wallets' },
              ...wallets.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={scope}
            onChange={setScope}
          />
          <Group gap="sm">
            <Button
              loading={making.isPending}
              onClick={() => making.mutate({ month: month ?? '', walletId: scope === ALL ? null : scope })}
            >
              Create statement
            </Button>
            <Allowed act="exports.download">
              <Button
                component="a"
                href={bookkeepingCsv(month ?? '', scope === ALL ? null : scope)}
                download
                variant="default"
                leftSection={<DownloadIcon size={14} />}
              >
                CSV for bookkeeping
              </Button>
            </Allowed>
          </Group>
        </div>
        <Text size="sm" c="dimmed">
          Opening balance, money in, money out, refunds, closing balance and every entry. Months begin at
          midnight in {zone}. QuickBooks, Xero and Sage import the CSV for bookkeeping as bank transactions.
        </Text>
        <Refused error={making.error} />
      </Stack>
    </Card>
  );
}
