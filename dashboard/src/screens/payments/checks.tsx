import '../../styles/details.css';
import { Text, Title } from '@mantine/core';
import type { TransactionDetails } from '../../api/types.js';
import { type CheckResult, checksInWords, checksOf } from '../../payments/checks.js';
import { useBankNames } from '../../text/banks.js';
import { CheckIcon, CrossIcon, DashIcon } from '../../parts/display/icons.js';

/** The checks of a payment, with what was compared: folded while all of them passed. */
export function Checks({ payment }: { payment: TransactionDetails }) {
  const bankName = useBankNames();
  const checks = checksOf(payment.auditEvents, bankName, payment.merchantName);
  const hasFailed = checks.some(({ result }) => result === 'failed');
  return (
    <details className="fold" open={hasFailed} key={payment.id}>
      <summary>
        <Title order={2}>Rule checks</Title>
        <Text size="sm" c="dimmed" ml="auto">
          {checksInWords(checks)}
        </Text>
      </summary>
      <ol className="checks">
        {checks.map((check) => (
          <CheckLine key={check.rule} check={check} />
        ))}
      </ol>
    </details>
  );
}

const MARKS = {
  passed: { icon: <CheckIcon />, tone: 'good', said: 'Passed' },
  failed: { icon: <CrossIcon />, tone: 'bad', said: 'Failed' },
  noted: { icon: <DashIcon />, tone: 'wait', said: 'Noted' },
  'not reached': { icon: <DashIcon />, tone: '', said: 'Not checked' },
} as const;

function CheckLine({ check }: { check: CheckResult }) {
  const { icon, tone, said } = MARKS[check.result];
  return (
    <li>
      <span className={tone} role="img" aria-label={said}>
        {icon}
      </span>
      <div>
        <Text
          size="sm"
          fw={check.result === 'failed' ? 600 : 500}
          {...(check.result === 'not reached' && { c: 'dimmed' })}
        >
          {check.rule}
        </Text>
        <Text size="xs" c="dimmed" className="tabular wrap" style={{ whiteSpace: 'normal' }}>
          {check.compared}
        </Text>
      </div>
    </li>
  );
}
