import '../../styles/details.css';
import { Text, Title } from '@mantine/core';
import type { TransactionDetails } from '../../api/types.js';
import { CheckIcon, CrossIcon, DashIcon } from '../../parts/display/icons.js';
import { Moment } from '../../parts/display/moment.js';
import type { Tone } from '../../look/tone.js';
import { timelineOf } from '../../payments/timeline.js';
import { usePerson } from '../../session/use-person.js';
import { asSentence } from '../../text/words.js';

const MARKS: Partial<Record<Tone, typeof CheckIcon>> = {
  good: CheckIcon,
  info: CheckIcon,
  bad: CrossIcon,
};

/** What happened to a payment, step by step. */
export function Timeline({ payment }: { payment: TransactionDetails }) {
  const nameOf = usePerson();
  return (
    <section aria-label="Timeline">
      <Title order={2} mb="sm">
        Timeline
      </Title>
      <ol className="timeline">
        {timelineOf(payment, nameOf).map(({ name, at, note, tone }) => {
          const Mark = MARKS[tone] ?? DashIcon;
          return (
            <li key={`${name} ${at ?? ''}`}>
              <span className={`timeline-mark ${tone}`}>
                <Mark size={13} />
              </span>
              <div>
                <Text size="sm" fw={500} className="wrap">
                  {name}
                </Text>
                {note && (
                  <Text size="xs" c="dimmed" className="wrap">
                    {asSentence(note)}
                  </Text>
                )}
              </div>
              <Text size="xs" c="dimmed" component="div">
                {at && <Moment at={at} />}
              </Text>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
