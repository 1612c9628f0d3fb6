import {
  type FailedJob,
  type FailingEndpoint,
  endpoints,
  jobs,
  operatorKey,
  PAYOUT_STATES,
  payouts,
  transfers,
  type TransferStatus,
} from '../../api/operator.js';
import { Moment } from '../../parts/display/moment.js';
import { Choice } from '../../parts/forms/choice.js';
import { useAddress } from '../../parts/state/use-address.js';
import { ActButton } from './act-button.js';
import { List } from './list.js';
import { PayoutItem, StatusTotals, TransferItem } from './money-items.js';
import { Item, Traits } from './parts.js';
import { payoutTag, TRANSFERS } from './words.js';
import { Link } from 'react-router';
import { findPath } from './money-items.js';

const TRANSFER_FILTERS = ['all', 'unmatched', 'held', 'conflict'] as const;

export function Transfers() {
  const address = useAddress();
  const shown = address.oneOf('status', TRANSFER_FILTERS);
  const status: TransferStatus | null = shown === 'all' ? null : shown;
  return (
    <List
      title="Inbound transfers to resolve"
      what="The inbound transfers"
      one="transfer"
      empty="No transfers to resolve"
      about="Transfers that match no wallet, are held, or contradict an earlier webhook are listed here, oldest first."
      aside={
        <Choice
          label="Show"
          value={shown}
          onChange={(value) => address.set({ status: value === 'all' ? null : value, page: null })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'unmatched', label: 'Unmatched' },
            { value: 'held', label: 'Held' },
            { value: 'conflict', label: 'Conflicting' },
          ]}
        />
      }
      queryKey={operatorKey('transfers', status)}
      read={(page) => transfers(status, page)}
      draw={(transfer) => <TransferItem transfer={transfer} />}
      totals={(found) => <StatusTotals of={found} nameOf={(each) => TRANSFERS[each].name} />}
    />
  );
}

export function Payouts() {
  const address = useAddress();
  const state = address.oneOf('state', PAYOUT_STATES);
  const reference = address.get('reference');
  return (
    <List
      title={reference ? 'Payout' : 'Payouts'}
      what="The payouts"
      one="payout"
      empty={reference ? 'No payout has this reference' : 'No payout is in this state'}
      about="Each payout is listed with what the bank did, newest first."
      aside={
        reference ? (
          <Link to="/operator/payouts">All payouts</Link>
        ) : (
          <Choice
            label="State"
            value={state}
            onChange={(value) =>
              address.set({ state: value === PAYOUT_STATES[0] ? null : value, page: null })
            }
            data={[
              { value: 'open', label: 'Open' },
              { value: 'returned', label: 'Sent back' },
              { value: 'failed', label: 'Failed' },
              { value: 'paid', label: 'Paid' },
            ]}
          />
        )
      }
      queryKey={operatorKey('payouts', reference ?? state)}
      read={(page) => payouts(state, reference, page)}
      draw={(payout) => <PayoutItem payout={payout} />}
      totals={(found) => (
        <StatusTotals of={found} nameOf={(status) => payoutTag({ status, isRefunded: false }).name} />
      )}
    />
  );
}

export function Jobs() {
  return (
    <List
      title="Failed jobs"
      what="The jobs"
      one="job"
      empty="No failed jobs"
      about="Jobs whose last attempt failed are listed here; those that were given up come first."
      queryKey={operatorKey('jobs')}
      read={jobs}
      draw={(job) => <JobItem job={job} />}
    />
  );
}

function JobItem({ job }: { job: FailedJob }) {
  return (
    <Item
      title={job.task}
      tag={job.isGivenUp ? { name: 'Given up', tone: 'bad' } : { name: 'Retrying', tone: 'wait' }}
      acts={
        <>
          <ActButton act="job.retry" subject={job.id} />
          <ActButton act="job.drop" subject={job.id} />
        </>
      }
    >
      <Traits
        of={[
          ['Job', job.id],
          ['Attempts', `${job.attempts} of ${job.attemptsMax}`],
          ['Last error', job.lastError],
          ['Next attempt', job.isGivenUp ? 'None' : <Moment at={job.runAt} />],
        ]}
      />
    </Item>
  );
}

export function Endpoints() {
  return (
    <List
      title="Failing webhook endpoints"
      what="The endpoints"
      one="endpoint"
      empty="No failing endpoints"
      about="Endpoints whose every attempt fails are listed here; those that fail longest come first."
      queryKey={operatorKey('endpoints')}
      read={endpoints}
      draw={(endpoint) => <EndpointItem endpoint={endpoint} />}
    />
  );
}

function EndpointItem({ endpoint }: { endpoint: FailingEndpoint }) {
  const { failingSince, lastFailedAt, accountId } = endpoint;
  return (
    <Item
      title={endpoint.host}
      tag={
        endpoint.status === 'enabled' ? { name: 'Failing', tone: 'wait' } : { name: 'Paused', tone: 'bad' }
      }
    >
      <Traits
        of={[
          [
            'Endpoint',
            <span key="id" className="mono">
              {endpoint.id}
            </span>,
          ],
          [
            'Account',
            <Link key="of" to={findPath(accountId)}>
              <span className="mono">{accountId}</span>
            </Link>,
          ],
          ['Why it is paused', endpoint.disabledReason],
          ['Failing since', failingSince && <Moment at={failingSince} />],
          ['Last failure', lastFailedAt && <Moment at={lastFailedAt} />],
        ]}
      />
    </Item>
  );
}
