import type { WalletDetails } from '../../api/types.js';
import { Keys } from '../keys/keys.js';
import { Payees } from '../payees/payees.js';
import { Changes } from './changes.js';
import { Ledger } from './ledger.js';
import { Rules } from './rules.js';

const TABS = { ledger: Ledger, keys: Keys, payees: Payees, rules: Rules, activity: Changes } as const;

interface Props {
  name: keyof typeof TABS;
  walletId: string;
  details: WalletDetails | undefined;
}

/** All tabs but the overview, loaded after it. */
export default function OtherTab({ name, ...props }: Props) {
  const Tab = TABS[name];
  return <Tab {...props} />;
}
