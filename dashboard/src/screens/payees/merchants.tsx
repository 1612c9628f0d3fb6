import type { WalletDetails } from '../../api/types.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { BlocksLoading } from '../../parts/loading/loading.js';

/** The merchants that the wallet has paid. */
export function Merchants({ merchants }: { merchants: WalletDetails['merchants'] | undefined }) {
  return (
    <Card title="Merchants paid" flush>
      {!merchants ? (
        <BlocksLoading heights={[120]} />
      ) : merchants.length === 0 ? (
        <Empty title="None yet">A merchant is listed from its first approved payment on.</Empty>
      ) : (
        <ul className="rows">
          {merchants.map(({ id, name }) => (
            <li key={id}>
              <div className="row row-plain wrap">{name}</div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
