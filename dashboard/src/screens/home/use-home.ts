import { useDocumentVisibility } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { homeQuery } from '../../api/home.js';
import { useAddress } from '../../parts/state/use-address.js';

const PERIODS = ['visit', '1', '7'] as const;
export type Period = (typeof PERIODS)[number];

/** Only while somebody looks: a call is a visit. */
export function useHome() {
  const address = useAddress();
  const period = address.oneOf('since', PERIODS);
  const isSeen = useDocumentVisibility() === 'visible';
  const query = useQuery({
    ...homeQuery(period === 'visit' ? null : Number(period)),
    enabled: isSeen,
    placeholderData: keepPreviousData,
  });
  const choose = (value: Period) =>
    address.set({ since: value === PERIODS[0] ? null : value }, { replace: true });
  return { query, period, choose };
}
