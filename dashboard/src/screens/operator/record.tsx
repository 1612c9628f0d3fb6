import { Text } from '@mantine/core';
import { Link } from 'react-router';
import { type Act, acts, operatorKey } from '../../api/operator.js';
import { plainNaira } from '../../money/money.js';
import { Moment } from '../../parts/display/moment.js';
import { List } from './list.js';
import { doneInWords } from './words.js';

/** Everything that operators did. */
export function Record() {
  return (
    <List
      title="Record"
      what="The record"
      one="action"
      empty="Nothing has been done yet"
      about="Every action of an operator, and every grant, is kept here permanently."
      queryKey={operatorKey('acts')}
      read={acts}
      draw={(act) => <ActLine act={act} isAlone />}
    />
  );
}

/** `isAlone`: not on the page of its case. */
export function ActLine({ act, isAlone = false }: { act: Act; isAlone?: boolean }) {
  const who = act.operator ?? (act.operatorId ? 'A former operator' : 'The command line');
  return (
    <div className="operator-item">
      <div>
        <Text size="sm" className="wrap">
          <strong>{who}</strong> {doneInWords(act.act)}
          {act.amount !== null && `, ${plainNaira(act.amount)}`}
          {act.confirmer && (
            <>
              , confirmed by <strong>{act.confirmer}</strong>
            </>
          )}
        </Text>
        <Text size="sm" className="wrap" c="dimmed">
          {act.reason}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="wrap">
          <Moment at={act.at} />
          {isAlone && (
            <>
              {' · '}
              <span className="mono">{act.subject}</span>
              {act.caseId && (
                <>
                  {' · '}
                  <Link to={`/operator/cases/${act.caseId}`}>Case</Link>
                </>
              )}
            </>
          )}
        </Text>
      </div>
    </div>
  );
}
