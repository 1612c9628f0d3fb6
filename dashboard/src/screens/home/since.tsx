import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { BLOCK_TITLES } from '../../api/checks.js';
import type { HomeNews } from '../../api/types.js';
import { Card } from '../../parts/display/card.js';
import { Choice } from '../../parts/forms/choice.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Money } from '../../parts/money/money.js';
import { sinceInWords } from '../../text/time.js';
import { pluralize } from '../../text/pluralize.js';
import { type Period, useHome } from './use-home.js';

const CHOICES: { value: Period; label: string }[] = [
  { value: 'visit', label: 'Last visit' },
  { value: '1', label: '24 hours' },
  { value: '7', label: '7 days' },
];

/** Rows of each list. */
const SHOWN = 5;

/** News since somebody last looked. */
export function Since() {
  const { query, period, choose } = useHome();
  return (
    <Card
      title={query.data ? `Since ${sinceInWords(query.data.from)}` : 'News'}
      flush
      aside={<Choice label="Period" value={period} onChange={choose} data={CHOICES} />}
    >
      <Answer of={query} what="The news" loading={<BlocksLoading heights={[180]} />}>
        {(home) => <News home={home} />}
      </Answer>
    </Card>
  );
}

const paymentsTo = (home: HomeNews, filter: Record<string, string>) =>
  `/payments?${new URLSearchParams({ ...filter, from: home.from }).toString()}`;

/** Statuses of the list's filter. */
const STATUSES = { paid: 'paid,processing', blocked: 'blocked,denied,expired', failed: 'failed,returned' };

function News({ home }: { home: HomeNews }) {
  const { total, reasons, wallets, keys, isCut } = home;
  const repeats = home.repeats.filter(({ count }) => count > 1).slice(0, SHOWN);
  const unusual = home.unusual.filter(({ kind }) => kind !== 'burst');
  return (
    <>
      <dl className="since-totals">
        <Total name="Paid" to={paymentsTo(home, { status: STATUSES.paid })} {...total.paid} />
        <Total
          name="Blocked"
          to={paymentsTo(home, { status: STATUSES.blocked })}
          {...total.blocked}
          isMuted
        />
        <Total name="Failed" to={paymentsTo(home, { status: STATUSES.failed })} {...total.failed} isMuted />
      </dl>
      {isCut && (
        <Text size="xs" c="dimmed" px="md" pb="sm">
          There were too many payments to sum up more than these.
        </Text>
      )}
      <div className="since-lists">
        {unusual.length > 0 && (
          <List title="Unusual">
            {unusual.map(({ kind, walletId, walletName, amount, usual, merchantName, lastId }) => (
              <Line
                key={`${kind} ${walletId} ${lastId ?? ''}`}
                to={
                  kind === 'account' && lastId
                    ? `/payments?transaction=${lastId}&of=${walletId}`
                    : `/wallets/${walletId}`
                }
                name={
                  kind === 'day'
                    ? `${walletName}: ${usual ? `${Math.floor(amount / usual)} ×` : 'far above'} its usual day`
                    : `${merchantName ?? 'An account'}: new account`
                }
                more={
                  kind === 'day' ? (
                    <>
                      In 24 hours; usually <Money kobo={usual ?? 0} />
                    </>
                  ) : (
                    `First payment to it, from ${walletName}`
                  )
                }
                end={<Money kobo={amount} bold />}
              />
            ))}
          </List>
        )}
        {reasons.length > 0 && (
          <List title="Blocked, by reason">
            {reasons.slice(0, SHOWN).map(({ blockReason, count, amount }) => (
              <Line
                key={blockReason}
                to={paymentsTo(home, { reason: blockReason })}
                name={BLOCK_TITLES[blockReason]}
                more={<Money kobo={amount} />}
                end={count}
              />
            ))}
          </List>
        )}
        {wallets.length > 0 && (
          <List title="By wallet">
            {wallets.slice(0, SHOWN).map(({ walletId, walletName, paid, blocked }) => (
              <Line
                key={walletId}
                to={paymentsTo(home, { wallet: walletId })}
                name={walletName}
                more={counts(paid.count, blocked.count)}
                end={<Money kobo={paid.amount} bold />}
              />
            ))}
          </List>
        )}
        {keys.length > 0 && (
          <List title="By agent key">
            {keys.slice(0, SHOWN).map(({ keyId, keyName, walletId, walletName, paid, blocked }) => (
              <Line
                key={keyId}
                to={paymentsTo(home, { wallet: walletId, key: keyId })}
                name={keyName ?? `First key of ${walletName}`}
                more={counts(paid.count, blocked.count)}
                end={<Money kobo={paid.amount} bold />}
              />
            ))}
          </List>
        )}
        {repeats.length > 0 && (
          <List title="Repeated">
            {repeats.map(({ merchantName, outcome, blockReason, count, amount, walletId, keyId, lastId }) => (
              <Line
                key={lastId}
                to={paymentsTo(home, {
                  wallet: walletId,
                  merchant: merchantName,
                  status: STATUSES[outcome],
                  ...(keyId && { key: keyId }),
                  ...(blockReason && { reason: blockReason }),
                })}
                name={`${count} × ${merchantName}`}
                more={
                  blockReason
                    ? BLOCK_TITLES[blockReason]
                    : outcome === 'paid'
                      ? 'Paid'
                      : 'Failed or sent back'
                }
                end={<Money kobo={amount} bold />}
              />
            ))}
          </List>
        )}
      </div>
    </>
  );
}

const counts = (paid: number, blocked: number) =>
  [paid > 0 && `${paid} paid`, blocked > 0 && `${blocked} blocked`].filter(Boolean).join(', ');

function Total({
  name,
  count,
  amount,
  to,
  isMuted,
}: {
  name: string;
  count: number;
  amount: number;
  to: string;
  isMuted?: boolean;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={isMuted ? 'since-amount muted' : 'since-amount'}>
          <Money kobo={amount} />
        </span>
        {count === 0 ? (
          <span className="small">None</span>
        ) : (
          <Link to={to} className="small">
            {pluralize(count, 'payment')}
          </Link>
        )}
      </dd>
    </div>
  );
}

function List({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} fz="sm" px="md" py="xs">
        {title}
      </Title>
      <ul className="rows">{children}</ul>
    </section>
  );
}

function Line({ to, name, more, end }: { to: string; name: string; more: ReactNode; end: ReactNode }) {
  return (
    <li>
      <Link to={to} className="row row-ends row-plain">
        <div>
          <Text size="sm" className="cut" title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" component="div" className="cut">
            {more}
          </Text>
        </div>
        <Group component="span" className="end tabular">
          {end}
        </Group>
      </Link>
    </li>
  );
}
