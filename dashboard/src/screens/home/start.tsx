import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Card } from '../../parts/card.js';
import { CheckIcon } from '../../parts/icons.js';
import type { Step } from './use-start.js';

/** The first steps, until they are done. */
export function Start({ steps, onFinish }: { steps: readonly Step[]; onFinish: () => void }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card
      title="Get started"
      flush
      aside={
        <Text size="sm" c="dimmed" component="div">
          {done} of {steps.length} done
          <Button variant="subtle" size="compact-sm" ml="sm" onClick={onFinish}>
            Hide
          </Button>
        </Text>
      }
    >
      <ol className="rows start">
        {steps.map((step) => (
          <li key={step.name}>
            <Line step={step} isNext={step === next} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Line({ step: { name, why, to, isDone }, isNext }: { step: Step; isNext: boolean }) {
  return (
    <div className="row row-plain start-step">
      <span
        className={isDone ? 'timeline-mark good' : 'timeline-mark'}
        role="img"
        aria-label={isDone ? 'Done' : 'To do'}
      >
        {isDone && <CheckIcon size={13} />}
      </span>
      <div>
        <Text size="sm" fw={500} {...(isDone && { c: 'dimmed' })}>
          {name}
        </Text>
        {!isDone && (
          <Text size="xs" c="dimmed">
            {why}
          </Text>
        )}
      </div>
      {!isDone && (
        <Button component={Link} to={to} size="xs" variant={isNext ? 'filled' : 'default'} aria-label={name}>
          {isNext ? 'Start' : 'Open'}
        </Button>
      )}
    </div>
  );
}
